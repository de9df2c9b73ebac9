"""Personal data and secrets become typed placeholders, the same value the same placeholder, reversible with a map.

    redactor = Redactor()
    conversation, losses = redactor.redact_conversation(conversation)
    write_mapping(redactor.mapping, "map.json")

Rules, not a model: what has a form (keys, numbers, addresses of machines) is found by it, names and postal addresses
only where words around them give them away. ``reports/privacy.md`` says how much of each is found.
"""

from mnemo_lab.privacy.finding import KINDS, NETWORK, PERSONAL, SECRETS, Finding
from mnemo_lab.privacy.mapping import read_mapping, restore, write_mapping
from mnemo_lab.privacy.redactor import Redacted, Redactor, find_sensitive, restore_conversation

__all__ = [
    "KINDS",
    "NETWORK",
    "PERSONAL",
    "SECRETS",
    "Finding",
    "Redacted",
    "Redactor",
    "find_sensitive",
    "read_mapping",
    "restore",
    "restore_conversation",
    "write_mapping",
]
