"""Language models behind one protocol."""

from mnemo_lab.language_models.base import Completion, LanguageModel

__all__ = ["Completion", "LanguageModel"]
