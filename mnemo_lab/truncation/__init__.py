"""Truncation: ways of cutting a history that need no index."""
