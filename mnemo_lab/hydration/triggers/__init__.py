"""Triggers: when a checkpoint is cut. One file each, combined with ``and`` and ``or``."""
