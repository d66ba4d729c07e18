"""Documents on this machine's disk: decisions, postmortems, manuals, notes."""

from .options import options
from .source import Documents, is_current, open_source

__all__ = ["Documents", "is_current", "open_source", "options"]
