"""Describers: what a stretch of turns is about."""
