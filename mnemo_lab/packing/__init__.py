"""Candidates or pieces to a context: what is taken, how it is rendered, that it fits."""
