"""What a target would refuse in a conversation, and how to make it one that the target takes."""

from mnemo_lab.formats.targets.draft import Policy
from mnemo_lab.formats.targets.engine import BEYOND_REPAIR, TARGETS, Repaired, find_target, repair, validate_for
from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

__all__ = [
    "BEYOND_REPAIR",
    "TARGETS",
    "Accepts",
    "Identifier",
    "Policy",
    "Repaired",
    "Target",
    "find_target",
    "repair",
    "validate_for",
]
