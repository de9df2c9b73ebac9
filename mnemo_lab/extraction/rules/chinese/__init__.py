"""Rules for Chinese."""
