"""Chat models behind one small protocol."""
