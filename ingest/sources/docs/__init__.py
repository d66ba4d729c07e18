"""Documents on this machine's disk: decisions, postmortems, manuals, notes."""

from .options import options
from .source import Documents, open_source

__all__ = ["Documents", "open_source", "options"]
