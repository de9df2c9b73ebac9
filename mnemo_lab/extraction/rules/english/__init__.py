"""Rules for English."""
