"""Strategies with checkpoints."""
