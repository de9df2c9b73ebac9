"""Language models behind one protocol."""

from mnemo_lab.language_models.base import Completion, LanguageModel
from mnemo_lab.language_models.opening import (
    chosen_cassette,
    chosen_language_model,
    fingerprint_of,
    open_language_model,
)

__all__ = [
    "Completion", "LanguageModel", "chosen_cassette", "chosen_language_model", "fingerprint_of", "open_language_model",
]  # fmt: skip
