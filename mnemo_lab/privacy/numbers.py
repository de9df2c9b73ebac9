"""E-mail, telephone, identity and bank numbers, and handles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.privacy import checks
from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.labels import HANDLES, LABELLED
from mnemo_lab.privacy.view import View

_LOCAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+'-"
_DOMAIN: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}([A-Za-z]{2,24})(?![A-Za-z0-9_-])"
)
_AUTHORITY: Final = re.compile(r"://[^\s/@]*:$")
_NOT_MAIL: Final = frozenset(
    "lan local internal corp intranet intra localdomain arpa png jpg jpeg gif svg webp".split()
)

# A digit run may not continue a word, a path, a decimal or a longer run.
_L: Final = r"(?<![A-Za-z0-9_./\\#])(?<![0-9][-–])(?<![0-9] )"
_R: Final = r"(?![A-Za-z0-9_]|[-./][0-9])"
_MOBILE_CN: Final = re.compile(
    r"(?<![A-Za-z0-9_.])(?<!\d-)(?:(?:\+|00)?86[- ]?)?1[3-9]\d(?:\d{8}|([- ])\d{4}\1\d{4})(?![A-Za-z0-9_]|[-.]\d)"
)
_PHONES: Final = (
    re.compile(
        rf"(?<![A-Za-z0-9_.+])\+(?:\([1-9]\d{{0,2}}\)|[1-9]\d{{0,2}})[-. ]?(?:\(\d{{1,4}}\)[-. ]?)?\d{{1,5}}"
        rf"(?:[-. ]?\d{{2,5}}){{1,4}}{_R}"
    ),
    re.compile(rf"{_L}(?:1[-. ])?\([2-9]\d\d\)[-. ]?\d{{3}}[-. ]\d{{4}}{_R}"),
    re.compile(rf"{_L}(?<!\d[.])(?:1([-. ]))?[2-9]\d\d([-. ])[2-9]\d\d\2\d{{4}}{_R}"),
    re.compile(rf"{_L}0(?:\d{{1,4}} \d{{3,4}} \d{{3,4}}|\d{{4}} \d{{6}}){_R}(?! \d)"),
    re.compile(rf"{_L}\(0\d{{1,4}}\) ?\d{{3,4}}[- ]?\d{{3,4}}{_R}"),
    re.compile(rf"{_L}0\d{{3}}-\d{{3}}-\d{{3}}{_R}"),
    re.compile(rf"{_L}\(?0(?:10|2\d|[3-9]\d\d)[)-]\d{{7,8}}{_R}"),
)
_ORDER: Final = re.compile(
    r"(?i:order|tracking|invoice|isbn|sku|serial|lot|ref|id|no\.?|单号|订单|编号|流水号|序列号|货号|批号"
    r"|条码)[\s:：=#是为]{0,3}(?:[A-Z]{2,5}[ -])?$"
)
_CARD: Final = re.compile(rf"(?<![A-Za-z0-9_.\-/+=])\d(?:\d{{11,18}}|(?:[ -]?\d){{12,18}}){_R}(?![ -]\d)")
_ID_CN: Final = re.compile(r"(?<![A-Za-z0-9_.-])[1-8]\d{5} ?(?:19|20)\d{6} ?\d{3}[\dXx](?![A-Za-z0-9_])")
_SSN: Final = re.compile(rf"{_L}(\d{{3}})-(\d\d)-(\d{{4}}){_R}(?!-)")
_NINO: Final = re.compile(r"(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?![A-Za-z0-9])")
_HKID: Final = re.compile(r"(?<![A-Za-z0-9])([A-Z]{1,2})(\d{6})[(（]([0-9A])[)）]")
_IBAN: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9])"
)

_REACH: Final = 44
_NOBODY: Final = frozenset(
    """user users ubuntu runner root node app admin administrator shared public default guest test vagrant ec2-user
    debian centos pi circleci git jovyan vscode codespace runneradmin linuxbrew www-data username youruser your-user
    you me name deploy docker jenkins sandbox agent""".split()
)


def find_numbers(view: View) -> Iterator[Finding]:
    """E-mail addresses, numbers of persons and banks, handles."""
    if "@" in view.text:
        yield from _mails(view.text)
    yield from _handles(view)
    for start, end in view.numbers:
        yield from _labelled(view, start, end)
        low, high = max(0, start - 9), end + 12
        yield from _phones(view, low, high)
        yield from _identities(view.text, low, high)
        yield from _banks(view, max(0, start - 12), end + 16)


def _handles(view: View) -> Iterator[Finding]:
    for words, signs, pattern, sure in HANDLES:
        if view.says(*words) or (view.has_han and view.mentions(*signs)):
            for match in pattern.finditer(view.text):
                if match[1].lower() not in _NOBODY:
                    yield Finding("account", match.start(1), match.end(1), sure)


def _labelled(view: View, start: int, end: int) -> Iterator[Finding]:
    """Numbers that only a word before them explains."""
    low = max(0, start - _REACH)
    near = view.text[low:end].lower()
    for kind, words, pattern, sure in LABELLED:
        if any(word in near for word in words):
            for match in pattern.finditer(view.text, low, end + 12):
                if match.end(1) > start:
                    yield Finding(kind, match.start(1), match.end(1), sure)


def _mails(text: str) -> Iterator[Finding]:
    """From each ``@`` to both sides, so that a long run of letters is read once."""
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1)
        before = text[max(0, at - 64) : at]
        local = before[len(before.rstrip(_LOCAL)) :].lstrip("._%+'-")
        escaped = text[at - len(local) - 1 : at - len(local)] == "\\" and local[:1] in ("n", "r", "t")
        local = local[1:] if escaped else local
        start = at - len(local)
        in_url = text[start - 1 : start] == ":" and _AUTHORITY.search(text, max(0, start - 80), start)
        if not domain or not local or in_url or domain[1].lower() in _NOT_MAIL:
            pass
        elif local != "git" or text[domain.end() : domain.end() + 1] not in (":", "/"):  # git@github.com:owner/name
            yield Finding("email", start, domain.end(), 0.93)
        at = text.find("@", at + 1)


def _phones(view: View, low: int, high: int) -> Iterator[Finding]:
    text = view.text
    for sure, pattern in ((0.9, _MOBILE_CN), *((0.85, pattern) for pattern in _PHONES)):
        for match in pattern.finditer(text, low, high):
            digits = sum(map(str.isdigit, match[0]))
            if digits >= 8 and not _ORDER.search(view.before(match.start(), 20)):
                yield Finding("phone", *match.span(), sure)


def _identities(text: str, low: int, high: int) -> Iterator[Finding]:
    for match in _ID_CN.finditer(text, low, high):
        if checks.chinese_id(match[0].replace(" ", "")):
            yield Finding("id_number", *match.span(), 0.97)
    for match in _SSN.finditer(text, low, high):
        if checks.social_security(match[1], match[2], match[3]):
            yield Finding("id_number", *match.span(), 0.9)
    for match in _NINO.finditer(text, low, high):
        yield Finding("id_number", *match.span(), 0.85)
    for match in _HKID.finditer(text, low, high):
        if checks.hong_kong_id(match[1], match[2], match[3]):
            yield Finding("id_number", *match.span(), 0.95)


def _banks(view: View, low: int, high: int) -> Iterator[Finding]:
    text = view.text
    for match in _CARD.finditer(text, low, high):
        digits = match[0].replace(" ", "").replace("-", "")
        if checks.bank_card(digits) and not _ORDER.search(view.before(match.start(), 20)):
            yield Finding("bank_card", *match.span(), 0.95)
    for match in _IBAN.finditer(text, low, high):
        if checks.iban(match[0].replace(" ", "")):
            yield Finding("bank_account", *match.span(), 0.97)
