"""The shell hook: plain shell that prints the finished brief once a day."""
