"""Answers from facts to what is asked every day, and the night's guess of what tomorrow brings."""
