"""What the runtime keeps on disk: events, journal, queue, and what became of it all."""
