"""Read-only tools in the Hermes format."""
