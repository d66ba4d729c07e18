"""Documents against code: what they name, what is not so any more, and how to put it right."""
