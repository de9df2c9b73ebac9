"""Whether what stands behind ``password =`` or ``api_key:`` is a value, and not code, a reference or an example."""

from __future__ import annotations

import re
from typing import Final

_REFERENCE: Final = re.compile(
    r"[$<{*.…%]|\(|(?:os|sys|env|process|config|settings|self|this|request|secrets|vault|await|new|lambda|import"
    r"|ctx|args|options|params|data|user|form|import\.meta)[.\[]|(?:get|read|load|fetch)\w*\(|//|\\"
)
_IDENTIFIERS: Final = re.compile(r"[A-Za-z_$][A-Za-z_]*(?:\.[A-Za-z_]\w*)*(?:[(\[].*)?")
_EXAMPLE: Final = re.compile(
    r"(?i)(?:your|my|the|some|enter|insert|replace|put|change|choose|add|an?)[-_ ]?(?:own[-_ ])?"
    r"(?:new|api|secret|key|token|pass|pw|strong|me|this|here|value|access|auth|jwt|app|db)[A-Za-z_ >.-]*$"
    r"|(?i:x{3,}|\*{2,}|\.{3,}|#{3,}|_{3,}|-{3,}|12345678?9?0?$)|.*(?i:placeholder|redacted|masked|goes[-_]?here"
    r"|todo)"
)
_WORDS: Final = frozenset(
    """none null nil true false undefined string str bytes int bool boolean number text varchar optional required any
    password passwd pass pwd secret token key apikey api_key user username admin root test demo example sample changeme
    default empty hidden invalid wrong missing bearer basic scram-sha-256 plaintext postgres mysql guest public
    secretstr hunter foobar foo bar baz""".split()
)
_ALPHABET: Final = re.compile(r"[A-Za-z0-9_\-.+/=:~%*!@#$^&|]+")
_DATE_OR_FILE: Final = re.compile(r"\d{4}-\d\d-\d\dT.*|[\w.-]+\.(?:json|ya?ml|py|txt|pem|js)")
_STATE: Final = re.compile(
    r"\d{1,3}[-–~+]\d{0,3}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
    r"|(?i:(?:salted|hashed|encrypted|stored)?[-/+ ]?(?:sha|md|aes|rsa|base|argon|pbkdf|ed|utf|hmac|bcrypt|scrypt|id_)"
    r"[-_]?[a-z]{0,4}[-_]?\d{1,5}[a-z]{0,4}(?:[-/+ ][a-z-]*(?:\d{2,3})?)?)"
    r"|(?i:(?:too|not|in|must|wrong|is|was|has|does|should|may|can(?:not)?|already|at least|never)\s.*)"
)
_SIGNS: Final = re.compile(r"[^A-Za-z0-9\s'’,.;:-]")


def is_password(value: str, quoted: bool, plain: bool) -> bool:
    """``plain``: in prose or behind a colon, where an ordinary word may follow, so that a digit or a sign is asked."""
    if value.isdecimal():
        return 6 <= len(value) <= 64
    if not 4 <= len(value) <= 200 or is_reference(value, quoted) or _is_example(value) or "://" in value:
        return False
    if plain and is_state(value):
        return False
    if quoted:
        return len(value) >= 6 or _has_digit(value)
    mixed = _has_digit(value) or _SIGNS.search(value) is not None
    if mixed and len(value) >= 5:
        return True
    return (not plain and len(value) >= 6) or (value.count("-") >= 2 and len(value) >= 14)


def is_state(value: str) -> bool:
    """What is said of a secret and not the secret: ``12-16`` characters, a date, ``sha256-hashed``, ``too short``."""
    return _STATE.fullmatch(value) is not None


def is_key(value: str, quoted: bool, least: int = 16) -> bool:
    """A stretch a machine made: long, of one alphabet, with letters and digits."""
    if len(value) < least or is_reference(value, quoted) or _is_example(value):
        return False
    if not _ALPHABET.fullmatch(value) or value.count("/") > len(value) // 8 or _DATE_OR_FILE.fullmatch(value):
        return False
    if "." in value and not quoted and not any(len(part) >= 24 for part in value.split(".")):
        return False
    digits = sum(sign.isdigit() for sign in value)
    letters = sum(sign.isalpha() for sign in value)
    return digits >= 2 and letters >= 2


def is_reference(value: str, quoted: bool) -> bool:
    """Code or a template that stands for the value: ``${PW}``, ``os.environ[…]``, ``getpass()``, ``db.password``."""
    if value.startswith(("${", "{{", "{%", "<", "%(", "$(", "...", "…", "$", "{", "@{")) and not value[1:2].isdigit():
        return True
    if quoted:
        return False
    return _REFERENCE.match(value) is not None or "(" in value or _IDENTIFIERS.fullmatch(value) is not None


def _is_example(value: str) -> bool:
    return value.lower() in _WORDS or len(set(value)) <= 2 or _EXAMPLE.match(value) is not None


def _has_digit(value: str) -> bool:
    return any(sign.isdigit() for sign in value)
