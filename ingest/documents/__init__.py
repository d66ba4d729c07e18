"""Documents: what their formats and conventions say of a text. Pure, but for a parser's locks."""
