"""Who judges: models, programs, and how each is asked."""
