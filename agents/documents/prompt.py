"""What the model is told."""

from __future__ import annotations

VERSION = "documents@1"
"""Changes with the wording, so that recorded calls can be compared."""
