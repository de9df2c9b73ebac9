"""Secrets told in prose: ``the db password for staging is now …``, ``use token … for it``, ``数据库口令已经换成 …``.

A label is found first; then what follows it must lead to a value, or what stands before it must announce one. An
ordinary word is never taken for a secret unless it is quoted or a colon follows the verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.values import is_key, is_password, is_state

_LABEL: Final = re.compile(
    r"[PpKkSsTtCcLl](?<![A-Za-z0-9_/.-][A-Za-z])(?:(?P<password>(?<=[Pp])(?i:ass(?:words?|wd|phrases?|codes?)|wd|w"
    r"|in(?:[ -](?:code|number))?))|(?P<key>(?<=[Kk])(?i:eys?)|(?<=[Ss])(?i:ecrets?))|(?P<token>(?<=[Tt])(?i:okens?))"
    r"|(?P<pair>(?<=[Cc])(?i:red(?:ential)?s)|(?<=[Ll])(?i:ogins?)))(?![A-Za-z0-9_])"
)
_WHERE: Final = (
    r"(?:\s?\([^()\n]{1,40}\))?(?:\s(?:for|to|of|on|in|at|from|behind|into|you|we|i)(?:\s[\w'’./&-]{1,30}){1,5}?)?"
)
_NOW: Final = (
    r"(?:\s(?:now|currently|still|actually|just|simply|always|again|temporarily|probably|set|changed|reset|updated"
    r"|rotated|to|be|been|this|this one|the following|as follows)){0,4}"
)
_LEADS: Final = re.compile(
    rf"{_WHERE}(?:(?P<verb>['’]s|['’]re|\s(?:is|was|are|were|becomes|became|remains|stays|equals|will be|should be"
    rf"|has been|had been|got)){_NOW}|\snow)?(?P<sign>\s{{0,2}}(?:[:：=]|->|=>|→|[—–]|-(?=\s)))?(?P<gap>\s{{0,3}})"
    r"(?(verb)|(?(sign)|(?!)))",
    re.IGNORECASE,
)
_TO: Final = re.compile(rf"{_WHERE}\s(?:to(?:\sbe)?|as)(?:\s?[:：])?\s{{1,3}}", re.IGNORECASE)
_FROM: Final = re.compile(r"\s(?:changed\s|went\s|has changed\s|was changed\s)?from\s", re.IGNORECASE)
_INTO: Final = re.compile(r"[\"'`”’]?\s(?:to|into)\s", re.IGNORECASE)
_CHANGES: Final = re.compile(r"(?i:set|chang\w+|reset|updat\w+|rotat\w+|switch\w*|made|make)\s(?:[\w'’-]+\s){0,4}$")
_USES: Final = re.compile(
    r"(?i:us(?:e|ed|es|ing)|with|try|enter|typed?|via|sent|gave|send|paste|has|have)\s(?:[\w'’-]+\s){0,3}$"
)
_NAMED_AFTER: Final = re.compile(r"(\S{6,64})\s(?i:is|was|as)\s(?i:the|my|our|your|its)\s(?:[\w-]+\s){0,2}$")
_QUALIFIED: Final = re.compile(
    r"(?i:api|access|secret|private|encryption|decryption|signing|licen[cs]e|activation|product|master|shared|service"
    r"|auth|client|bearer|refresh|session|bot|deploy|wi-?fi|security|recovery|network|webhook|jwt)[ _-]$"
)
_OTHER: Final = re.compile(
    r"(?i:primary|foreign|public|cache|sort|partition|dictionary|dict|object|index|composite|candidate|idempotency"
    r"|shortcut|hot|arrow|next|last|first|previous|special|each|per|eos|pad|start|end|input|output|map|json|config"
    r"|translation|unique|natural|surrogate|routing|shard|group|row|message|kafka|i18n|answer|no|any|a)[ _-]$"
)
_PRINTED: Final = re.compile(r"[!#-&(-;=?-_a-~]{1,200}")
_CLOSE: Final = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_UNIT: Final = re.compile(
    r"\s?(?:[位年月日天次个字分种条元号]|(?i:char|digit|letter|day|hour|minute|second|month|year|word|bit|byte|time|ms|user"
    r"|attempt|token|request|per\b|or\b|and\b|to\b|%))"
)
_PAIR: Final = re.compile(r"\s{0,2}[\w.@+-]{2,40}\s{0,2}[/|:]\s{0,2}")
_PHRASE: Final = re.compile(r"[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=[.!?,;\n]|$)")
_FUNCTION: Final = re.compile(
    r"\b(?:the|and|for|not|too|that|this|has|have|are|was|were|with|your|you|our|can|must|should|will|long|words"
    r"|than|when|but|from|all|any|its|they|been|what|only|also|asked|needed|required|stored|same)\b"
)

_LABEL_ZH: Final = re.compile(
    r"[密口秘令暗通访解凭TtKkPp](?:(?P<password>(?<=密)[码匙]|(?<=口)令|(?<=暗)号|(?<=通)行码|(?<=访)问码|(?<=解)锁码"
    r"|(?<=[Pp])(?i:in ?码?|assphrase|assword))|(?P<key>(?<=[密秘])钥|(?<=[Kk])(?i:ey))"
    r"|(?P<token>(?<=令)牌|(?<=凭)证|(?<=[Tt])(?i:oken)))(?![A-Za-z0-9_])"
)
_LEADS_ZH: Final = re.compile(
    r"\s?(?:[（(][^（）()\n]{1,16}[）)])?(?:在[\u4e00-\u9fff]{1,8}?(?=[是为用]))?"
    r"(?:现在|目前|暂时|临时|已经|已|又|就|还|先|都|统一|我们?|给你|发你|被|也|后来|昨天|今天|刚刚?|一直|默认|应该|可能){0,4}\s?"
    r"(?P<lead>[:：=]|[设用定改填]的是|是|为|叫|用|填|写|如下|给你|发你|(?:改|换|设置?|重置|重设|更新|变|定|调|恢复|修改|更换)(?:成|为|到)了?)"
    r"(?:的?是|这个|下面这个|了){0,2}\s{0,2}(?P<sign>[:：=，,])?\s{0,3}"
)
_FROM_ZH: Final = re.compile(r"\s?(?:已经|刚刚?|昨天|今天)?[从由]\s?")
_INTO_ZH: Final = re.compile(r"[\"'`”’」』]?\s?(?:改|换|变|更新|修改|更换)(?:成|为|到)了?\s?")
_SPOKEN_ZH: Final = re.compile(r"[\u4e00-\u9fff]{4,20}")


class _Told(NamedTuple):
    start: int
    end: int
    quoted: bool


def find_told(text: str, lower: str, has_han: bool) -> Iterator[Finding]:
    """Passwords, PINs, keys and tokens that a sentence gives away; surer rules go before these."""
    if any(word in lower for word in ("pass", "pw", "pin", "key", "secret", "token", "cred", "login")):
        for label in _LABEL.finditer(text):
            yield from _english(text, label)
    if has_han:
        for label in _LABEL_ZH.finditer(text):
            yield from _chinese(text, label)


def _english(text: str, label: re.Match[str]) -> Iterator[Finding]:
    before = text[max(0, label.start() - 120) : label.start()].rpartition("\n")[2]
    kind = _kind(label)
    qualified = _QUALIFIED.search(before) is not None or label[0].lower().startswith("secret")
    if kind != "password" and not qualified and _OTHER.search(before):
        return
    if label["pair"]:
        yield from _pair(text, label.end())
        return
    moved = _FROM.match(text, label.end())
    if moved:
        yield from _moved(text, moved.end(), label, qualified, _INTO)
    for at, sure in () if moved else _places(text, label.end(), before):
        value = _told(text, at)
        if value and _is_secret(text, value, label, qualified, sure):
            yield Finding(kind, value.start, value.end, 0.8)
            return
        if sure and label[0].lower().startswith("passphrase"):
            phrase = _PHRASE.match(text, at)
            if phrase and not _FUNCTION.search(phrase[0]):
                yield Finding(kind, *phrase.span(), 0.8)
                return
    named = _NAMED_AFTER.search(before)
    if named:
        yield from _named(text, label, before, named, qualified)


def _kind(label: re.Match[str]) -> str:
    return "api_key" if label["key"] else "token" if label["token"] else "password"


def _places(text: str, at: int, before: str) -> Iterator[tuple[int, int]]:
    """Where a value may stand, and how sure the words before it are: 0 bare, 1 a verb or a sign, 2 both."""
    leads = _LEADS.match(text, at)
    if leads and (leads["sign"] or leads["gap"]):
        yield leads.end(), 1 + bool(leads["verb"] and leads["sign"])
    if _CHANGES.search(before):
        to = _TO.match(text, at)
        if to:
            yield to.end(), 1
    if _USES.search(before) and text[at : at + 1] == " ":
        yield at + 1, 0
    if text[at : at + 2] == " (":
        yield at + 2, 0


def _told(text: str, at: int) -> _Told | None:
    """The value at ``at``: to its quote on the same line, else a run of ASCII without punctuation at its end."""
    bold = text.startswith("**", at)
    at += 2 * bold
    close = _CLOSE.get(text[at : at + 1])
    if close:
        end = text.find(close, at + 1, at + 200)
        return _Told(at + 1, end, True) if end > at + 1 and "\n" not in text[at:end] else None
    match = _PRINTED.match(text, at)
    if match is None:
        return None
    value = match[0].split(",")[0].partition("**")[0] if bold else match[0].split(",")[0]
    value = value.rstrip(".:;?" if "(" in value else ".:;?)")
    return _Told(at, at + len(value), False) if value else None


def _is_secret(text: str, value: _Told, label: re.Match[str], qualified: bool, sure: int) -> bool:
    found = text[value.start : value.end]
    if not found.isprintable() or is_state(found):
        return False
    if label["password"]:
        return _is_password(text, value, label[0].lower(), sure)
    if not is_key(found, value.quoted, 8 if qualified or sure else 10):
        return False
    return qualified or _is_machine(found) or bool(label["token"] and sum(map(str.isdigit, found)) >= 3)


def _is_password(text: str, value: _Told, label: str, sure: int) -> bool:
    found = text[value.start : value.end]
    if found.isdecimal():
        return 4 <= len(found) <= 12 and (sure > 0 or "pin" in label) and not _UNIT.match(text, value.end)
    if label.startswith("pin"):
        return False
    if sure == 2 and len(found) >= 8 and found.isalpha() and found.islower() and not value.quoted:
        following = text[value.end : value.end + 1]
        return following in ("", ".", ",", "\n", "!", "。", "，") and is_password(found + "0", False, True)
    if not sure and not value.quoted:
        return len(found) >= 6 and any(map(str.isdigit, found)) and is_password(found, False, True)
    return is_password(found, value.quoted, True)


def _is_machine(value: str) -> bool:
    """Letters and digits in turn, or both cases with a digit: not ``user_2024`` or ``sha256``."""
    for part in re.split(r"[-_:./]", value):
        turns = len(re.findall(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", part))
        cases = any(map(str.isupper, part)) and any(map(str.islower, part)) and turns and len(part) >= 8
        if cases or (turns >= 2 and len(part) >= 4):
            return True
    return False


def _moved(text: str, at: int, label: re.Match[str], qualified: bool, into: re.Pattern[str]) -> Iterator[Finding]:
    """``from … to …``: both are secrets, as the old one may still open something."""
    old = _told(text, at)
    link = into.match(text, old.end) if old else None
    new = _told(text, link.end()) if link else None
    for value in (old, new) if new else ():
        if value and _is_secret(text, value, label, qualified, 1):
            yield Finding(_kind(label), value.start, value.end, 0.8)


def _named(text: str, label: re.Match[str], before: str, named: re.Match[str], qualified: bool) -> Iterator[Finding]:
    """``… is the staging password``."""
    shift = label.start() - len(before)
    inner = named[1].strip("\"'`“”‘’*,;:")
    start = shift + named.start(1) + named[1].index(inner) if inner else 0
    value = _Told(start, start + len(inner), False)
    if inner.isascii() and len(inner) >= 6 and _is_secret(text, value, label, qualified, 0):
        yield Finding(_kind(label), value.start, value.end, 0.78)


def _pair(text: str, at: int) -> Iterator[Finding]:
    """``login for staging is deploy / …``: a user's name, then the secret."""
    leads = _LEADS.match(text, at)
    user = _PAIR.match(text, leads.end()) if leads else None
    value = _told(text, user.end()) if user else None
    if value and "/" not in text[value.start : value.end]:
        found = text[value.start : value.end]
        if any(map(str.isdigit, found)) and is_password(found, False, True) and not is_state(found):
            yield Finding("password", value.start, value.end, 0.78)


def _chinese(text: str, label: re.Match[str]) -> Iterator[Finding]:
    bare = label[0].lower() in ("key", "token", "凭证")
    moved = _FROM_ZH.match(text, label.end())
    if moved:
        yield from _moved(text, moved.end(), label, not bare, _INTO_ZH)
    leads = _LEADS_ZH.match(text, label.end())
    value = _told(text, leads.end()) if leads else None
    if not leads or not value:
        return
    found = text[value.start : value.end]
    spoken = value.quoted and label[0] in ("口令", "暗号") and _SPOKEN_ZH.fullmatch(found)
    if spoken and leads["lead"] in ("是", "为", "：", ":") and not re.search("[不请须需必错长短]", found):
        yield Finding("password", value.start, value.end, 0.8)
    elif found.isascii() and _is_secret(text, value, label, not bare, 1 + bool(leads["sign"])):
        yield Finding(_kind(label), value.start, value.end, 0.8)
