"""Checkpoints against plain retrieval in conversations stretched to thousands of messages."""
