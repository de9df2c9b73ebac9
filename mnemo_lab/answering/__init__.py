"""Answering: a reader answers each probe from its context; scores, abstention, an optional judge, what it costs."""
