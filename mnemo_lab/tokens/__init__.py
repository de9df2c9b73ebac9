"""Counting tokens: exact for OpenAI's encodings, a named proxy for everybody else."""

from mnemo_lab.tokens.counter import ENCODINGS, TokenCounter, counter_for_model, open_counter
from mnemo_lab.tokens.models import ModelCard, known_models, model_card

__all__ = ["ENCODINGS", "ModelCard", "TokenCounter", "counter_for_model", "known_models", "model_card", "open_counter"]
