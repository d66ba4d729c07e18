"""What a person touches."""
