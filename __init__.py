"""hermes: an ambient developer assistant that remembers the codebase."""

__version__ = "0.1.0"
