"""Context hydration: checkpoints cut at meaningful moments, and contexts built from them."""
