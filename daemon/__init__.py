"""The resident process: settings, the API, and the worker that fills memory."""
