"""How much of what is dropped can still be read off a summary, without a judge."""
