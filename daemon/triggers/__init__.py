"""What makes events: file watch, spool, schedule."""
