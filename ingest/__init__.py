"""Sources into chunks, with secrets taken out."""
