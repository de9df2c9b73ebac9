"""Other people's truncation on the same recordings."""
