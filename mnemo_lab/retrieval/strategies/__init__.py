"""Strategies that retrieve: one file each."""
