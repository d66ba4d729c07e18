"""What hermes knows: vector store, structured index, raw log, recall."""
