"""What may interrupt a person, and when."""
