"""What is found, its kinds, and the placeholders that stand for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SECRETS: Final = ("api_key", "token", "jwt", "private_key", "password")
PERSONAL: Final = ("name", "address", "email", "phone", "id_number", "bank_card", "bank_account", "account")
NETWORK: Final = ("host", "ip")
KINDS: Final = (*SECRETS, *PERSONAL, *NETWORK)
"""``token`` is what its maker calls a token (``ghp_…``, a session cookie), ``api_key`` any other key or shared secret;
``account`` a handle (WeChat, QQ, Telegram) or the user's name in a path; ``host`` a name of a private network."""

PLACEHOLDER: Final = re.compile(r"\[(?:" + "|".join(kind.upper() for kind in KINDS) + r")_[1-9]\d{0,8}\]")


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of text that must go; offsets count code points, ``end`` is past the last.

    ``confidence`` (0 to 1) is the rule's own: a checksum or a maker's prefix near 1, a cue in prose near 0.6. It is an
    order, not a measured probability.
    """

    kind: str
    start: int
    end: int
    confidence: float


def placeholder(kind: str, number: int) -> str:
    """``[EMAIL_1]``: the same in every language, safe inside JSON strings, URLs and shell commands."""
    return f"[{kind.upper()}_{number}]"
