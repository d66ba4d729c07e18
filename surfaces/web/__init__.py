"""The local page: hand-written HTML, CSS and JavaScript, which the daemon serves as they are."""
