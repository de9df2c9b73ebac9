"""Recall, build, memory and query time of FAISS variants by count, against exact search."""
