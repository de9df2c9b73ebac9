"""Formats of recorded conversations: one module or package per tool, all with the shape of ``base.Format``."""
