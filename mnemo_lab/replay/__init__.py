"""Replay: recordings through strategies at equal budgets."""
