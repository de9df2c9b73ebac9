"""Language models behind one protocol."""

from mnemo_lab.language_models.base import Completion, LanguageModel
from mnemo_lab.language_models.opening import open_language_model

__all__ = ["Completion", "LanguageModel", "open_language_model"]
