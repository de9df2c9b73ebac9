"""Secrets known by what stands before them: a label with a sign, a label in prose, a header, a URL, a command."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mnemo_lab.privacy.finding import PLACEHOLDER, Finding
from mnemo_lab.privacy.values import is_key, is_password, is_reference
from mnemo_lab.privacy.view import LONG, View

_TAIL: Final = r"(?:_?\d{1,2}|_base|_(?:prod|dev|test|live|staging))?"
_SIGN: Final = r"[\"'\]\\]{0,3}\s{0,4}(?P<sign>:=|=>|={1,3}|：|:)\s{0,4}"
_PASSWORD: Final = re.compile(
    rf"[Pp](?i:assword|asswd|assphrase|asswort|wd|(?<![A-Za-z]p)ass|(?<![A-Za-z]p)w){_TAIL}"
    rf"(?:\s(?:for|to|of|on|at)\s[^\n,;:.?!]{{1,40}}?)?(?:{_SIGN}|(?:\s(?P<word>is|was|=)|[’'](?P<short>s))(?:\s?[:：])?\s)"
)
_KEY: Final = re.compile(
    r"(?i:(?P<token>(?:auth|access|refresh|bot|session|api|id|csrf|app)[_ -]?token|token|session_?key|sessionid|"
    r"(?<=_)session|sig)"
    r"|(?P<key>(?:api|access|secret|account|private|encryption|signing|license|master|shared|app|subscription"
    r"|auth|service)"
    r"[_ -]?(?:key|secret)|accesskey(?:[_ ]?(?:id|secret))?|access[_ -]key[_ -](?:id|secret)|client[_ -]?secret"
    r"|secret[_ -]?id"
    rf"|jwt[_ -]?secret|webhook[_ -]?secret|secret|apikey|(?<![a-z])[as]k|(?<![a-z_-])key)){_TAIL}"
    rf"(?:{_SIGN}|[\"']?\s{{1,3}}(?P<word>is|to|was|as)?\s{{0,3}})"
)
_PASSWORD_ZH: Final = re.compile(
    r"(?:密码|口令|密匙)(?P<sign>\s*(?:[:：=]|(?:是|为|(?:改|设|重置|换)[成为]了?)\s*[:：]?)\s*)?\s*(?P<quote>[“\"'「『‘`])?"
)
_CODE_ZH: Final = re.compile(r"(?:授权码|应用专用密码)\s*(?:[:：=]|是|为)?\s*([A-Za-z0-9]{12,24})(?![A-Za-z0-9])")
_KEY_ZH: Final = re.compile(
    r"(?:(?P<token>令牌|[Tt]oken|TOKEN|凭证)|密钥|秘钥|(?<![A-Za-z_])(?:[Kk]ey|KEY|AK|SK)(?![A-Za-z_])"
    r"|(?i:api[ _-]?(?:key|secret)|access[ _-]?key(?: ?(?:id|secret))?|secret[ _-]?(?:key|id)?|app[ _-]?secret))"
    r"(?P<sign>\s*(?:[:：=]|是|为|(?:写死|设置?|换|改|填)(?:成|为|的是))?\s*)[“\"'「`]?"
)
_QUOTES: Final = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}
_BARE: Final = re.compile(r"[^\s\"'`<>,;，；。、！？“”「」（）\\]{1,400}")
_PRINTABLE: Final = re.compile(r"[!#-&(-;=?-_a-~]{4,64}")
_MACHINE: Final = re.compile(r"[A-Za-z0-9_\-.+/=]{16,400}")
_SCHEME: Final = re.compile(r"[^\s/:@\"'<>?#]{0,128}:([^\s\"'<>/]{1,256})@(?=[\w\[.$-])")
_USER_TOKEN: Final = re.compile(r"([A-Za-z0-9_-]{20,256})@(?=[\w.-])")
_BEARER: Final = re.compile(r"[Bb](?i:earer)\s{1,3}([A-Za-z0-9._~+/-]{16,4096}=*)")
_BASIC: Final = re.compile(r"[Aa](?i:uthorization)\W{1,5}(?i:basic)\s{1,3}([A-Za-z0-9+/]{8,512}={0,2})")
_COOKIE: Final = re.compile(r"[Cc](?i:ookie)\W{1,4}([^\n]{1,4000})")
_CRUMB: Final = re.compile(r"(?i:[\w-]*(?:sess|sid|token|auth|csrf|xsrf|jwt)[\w-]*)=([^;\s\"',]{16,2000})")
_QUERY: Final = re.compile(
    r"[?&](?i:(?P<key>(?:api[_-]?)?key|subscription-key|appsecret|client_secret|secret)"
    r"|(?P<password>password|pwd|passwd)|(?:access_|auth_|id_|refresh_)?token|sig|signature|x-amz-signature"
    r"|x-amz-security-token)=(?P<value>[^&#\s\"'<>，。、；：）]{4,4096})"
)
_COMMANDS: Final = (
    ("sshpass", re.compile(r"sshpass\s+-p\s*(['\"]?)(?P<value>[^\s'\"]{4,100})\1")),
    ("mysql", re.compile(r"mysql\w{0,8}\s[^\n|;]{0,160}?(?<!\S)-p(['\"]?)(?P<value>[^\s'\"-][^\s'\"]{3,100})\1")),
    ("curl", re.compile(r"curl\s[^\n|]{0,300}?(?:-u|--user)\s+(['\"]?)[^\s:'\"]{1,64}:(?P<value>[^\s'\"]{4,100})\1")),
    (
        " -p",
        re.compile(r"(?:docker|podman|helm|twine|az|oc)\s[^\n|]{0,160}?\s-p\s+(['\"]?)(?P<value>[^\s'\"]{6,400})\1"),
    ),
    ("redis-cli", re.compile(r"redis-cli\s[^\n|]{0,160}?(?<!\S)-a\s+(['\"]?)(?P<value>[^\s'\"]{4,400})\1")),
    ("--pass", re.compile(r"--pass(?:word|wd)?(?:=|\s+)(['\"]?)(?P<value>[^\s'\"-][^\s'\"]{3,100})\1")),
    ("login(", re.compile(r"login\(\s*(['\"])[^'\"\n]{1,80}\1\s*,\s*(['\"])(?P<value>[^'\"\n]{4,80})\2")),
)


_LABEL_REACH: Final = 40
_PLACEHOLDER_REACH: Final = 16
_KEY_WORDS: Final = ("token", "key", "secret", "session", "sig", "ak", "sk", "令牌", "密钥", "秘钥", "凭证")


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool


def find_assigned(view: View) -> Iterator[Finding]:
    """Passwords, keys and tokens that only their surroundings betray."""
    text = view.text
    if view.mentions("pass", "pwd", "pw"):
        yield from _passwords(text)
    yield from _keys(view)
    if view.has_han:
        yield from _chinese(view)
    yield from _in_urls(text)
    yield from _in_headers(view)
    yield from _in_commands(text)


def _passwords(text: str) -> Iterator[Finding]:
    for match in _PASSWORD.finditer(text):
        if _is_placeholder(text, match.start()):
            continue
        value = _value(text, match.end(), in_query=text[match.start() - 1 : match.start()] in ("?", "&"))
        if value is None:
            continue
        plain = bool(match["word"] or match["short"]) or (match["sign"] in (":", "：") and not value.quoted)
        if is_password(text[value.start : value.end], value.quoted, plain):
            yield Finding("password", value.start, value.end, 0.85 if plain else 0.9)


def _is_placeholder(text: str, at: int) -> bool:
    """Whether what would be a label is a part of ``[PASSWORD_1]``, which names what was there and nothing behind it."""
    low = text.rfind("[", max(0, at - _PLACEHOLDER_REACH), at + 1)
    match = PLACEHOLDER.match(text, low) if low >= 0 else None
    return match is not None and match.end() > at


def _keys(view: View) -> Iterator[Finding]:
    """A long run is the value, or ends with it; its label stands inside or right before it."""
    text = view.text
    for start, end in view.runs:
        low = max(0, start - _LABEL_REACH)
        near = text[low:end].lower() if end - start < 1000 else text[low : start + 1000].lower()
        if not (any(word in near for word in _KEY_WORDS) and sum(map(str.isdigit, text[start:end])) >= 2):
            continue
        for match in _KEY.finditer(text, low, end):
            if _is_placeholder(text, match.start()):
                continue
            value = _value(text, match.end(), in_query=text[match.start() - 1 : match.start()] in ("?", "&"))
            least = _least(match, value)
            if value and is_key(text[value.start : value.end], value.quoted, least):
                bare = match["key"] and match["key"].lower() in ("key", "ak", "sk") and not match["sign"]
                yield Finding("token" if match["token"] else "api_key", value.start, value.end, 0.7 if bare else 0.86)
        if view.has_han:
            yield from _chinese_keys(text, low, end)


def _least(match: re.Match[str], value: _Value | None) -> int:
    """The surer the surroundings, the shorter a key may be."""
    if not match["sign"]:
        return 20
    return 12 if value and (value.quoted or "=" in match["sign"]) else LONG


def _chinese_keys(text: str, low: int, end: int) -> Iterator[Finding]:
    for match in _KEY_ZH.finditer(text, low, end):
        value = _MACHINE.match(text, match.end())
        strict = 16 if match["sign"].strip() else 20
        if value and is_key(value[0].rstrip("."), False, strict):
            kind = "token" if match["token"] else "api_key"
            yield Finding(kind, value.start(), value.start() + len(value[0].rstrip(".")), 0.84)


def _value(text: str, at: int, in_query: bool = False) -> _Value | None:
    """The value that starts at ``at``: quoted to its quote on the same line, else to white space or punctuation."""
    if text.startswith("\\", at):
        at += 1  # inside a JSON string the quote itself is escaped
    close = _QUOTES.get(text[at : at + 1])
    if close:
        end = text.find(close, at + 1, at + 4100)
        line = text.find("\n", at + 1, end)
        if end < 0 or line >= 0:
            return None
        end -= text[end - 1] == "\\" and close == '"'
        return _Value(at + 1, end, True) if end > at + 1 else None
    match = _BARE.match(text, at)
    if match is None:
        return None
    value = match[0].partition("&")[0] if in_query or ("&" in match[0] and "=" in match[0]) else match[0]
    value = value.rstrip(".:?)]}" if "(" not in value and "[" not in value and "{" not in value else ".:?")
    return _Value(at, at + len(value), False) if value else None


def _chinese(view: View) -> Iterator[Finding]:
    text = view.text
    if any(word in text for word in ("密码", "口令", "密匙")):
        yield from _chinese_passwords(text)
    if "授权码" in text or "专用密码" in text:
        for match in _CODE_ZH.finditer(text):
            if not match[1].isdecimal():
                yield Finding("password", *match.span(1), 0.88)


def _chinese_passwords(text: str) -> Iterator[Finding]:
    for match in _PASSWORD_ZH.finditer(text):
        at = match.end()
        if match["quote"]:
            end = text.find(_QUOTES[match["quote"]], at, at + 100)
            value = text[at : max(at, end)]
            if "\n" not in value and any(sign.isascii() for sign in value) and is_password(value, True, True):
                yield Finding("password", at, end, 0.9)
            continue
        found = _PRINTABLE.match(text, at)
        if not found:
            continue
        value = found[0].rstrip(".,;:?)")
        letters = (
            match["sign"]
            and len(value) >= 8
            and value.isalpha()
            and value.islower()
            and value not in ("password", "required")
        )
        if letters or is_password(value, False, True):
            yield Finding("password", at, at + len(value), 0.85)


def _in_urls(text: str) -> Iterator[Finding]:
    at = text.find("://")
    while at >= 0:
        match = _SCHEME.match(text, at + 3)
        if match:
            value = match[1]
            if len(value) >= 3 and not is_reference(value, True) and value.lower() not in _URL_EXAMPLES:
                yield Finding("password", *match.span(1), 0.95)
        else:
            match = _USER_TOKEN.match(text, at + 3)
            if match and is_key(match[1], True, 20):
                yield Finding("token", *match.span(1), 0.9)
        at = text.find("://", at + 3)
    if "=" in text and ("?" in text or "&" in text):
        for match in _QUERY.finditer(text):
            yield from _in_query(match)


_URL_EXAMPLES: Final = frozenset(
    "password pass passwd pwd secret token x-oauth-basic x-access-token user example changeme xxx ***".split()
)


def _in_query(match: re.Match[str]) -> Iterator[Finding]:
    value = match["value"].rstrip(".,;:!?)]}")
    end = match.start("value") + len(value)
    if match["password"]:
        if is_password(value, False, False):
            yield Finding("password", match.start("value"), end, 0.93)
    elif is_key(value, False, 16):
        yield Finding("api_key" if match["key"] else "token", match.start("value"), end, 0.93)


def _in_headers(view: View) -> Iterator[Finding]:
    text = view.text
    if view.says("bearer"):
        yield from (Finding("token", *m.span(1), 0.92) for m in _BEARER.finditer(text) if is_key(m[1], False))
    if view.says("basic"):
        yield from (Finding("password", *m.span(1), 0.92) for m in _BASIC.finditer(text) if _is_basic(m[1]))
    if view.says("cookie"):
        for line in _COOKIE.finditer(text):
            crumbs = _CRUMB.finditer(text, *line.span(1))
            yield from (Finding("token", *m.span(1), 0.9) for m in crumbs if is_key(m[1], False))


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def _in_commands(text: str) -> Iterator[Finding]:
    for word, pattern in _COMMANDS:
        if word in text:
            for match in pattern.finditer(text):
                start, end = match.span("value")
                if is_password(match["value"], text[start - 1] in "'\"", word not in ("sshpass", "mysql", "curl")):
                    yield Finding("password", start, end, 0.9)
