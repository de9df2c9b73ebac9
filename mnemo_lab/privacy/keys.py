"""Keys that their makers mark: a literal prefix (or the like), a length, an alphabet.

A row is (what must occur for the pattern to be tried, kind, pattern). Formats are those the makers document or their
own tools print; a group in a pattern is the secret part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.view import View

_LEFT: Final = r"(?<![A-Za-z0-9_])"
_W: Final = "[A-Za-z0-9]"
_WD: Final = "[A-Za-z0-9_-]"
_ROWS: Final = (
    # models
    ("sk-", "api_key", rf"sk-{_WD}{{20,}}"),
    ("pk-lf-", "api_key", rf"pk-lf-{_WD}{{20,}}"),
    ("AIza", "api_key", rf"AIza{_WD}{{35}}"),
    ("gsk_", "api_key", rf"gsk_{_W}{{40,}}"),
    ("xai-", "api_key", rf"xai-{_W}{{40,}}"),
    ("pplx-", "api_key", rf"pplx-{_W}{{40,}}"),
    ("csk-", "api_key", rf"csk-{_W}{{40,}}"),
    ("nvapi-", "api_key", rf"nvapi-{_WD}{{40,}}"),
    ("tgp_v1_", "api_key", rf"tgp_v1_{_WD}{{30,}}"),
    ("fw_", "api_key", rf"fw_{_W}{{22,}}"),
    ("jina_", "api_key", rf"jina_{_WD}{{40,}}"),
    ("tvly-", "api_key", rf"tvly-{_WD}{{20,}}"),
    ("pcsk_", "api_key", rf"pcsk_{_WD}{{40,}}"),
    ("lsv2_", "api_key", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("sk_", "api_key", r"sk_[0-9a-f]{48}"),
    ("r8_", "token", rf"r8_{_W}{{30,}}"),
    ("hf_", "token", rf"hf_{_W}{{30,}}"),
    ("api_org_", "token", rf"api_org_{_W}{{30,}}"),
    # clouds
    ("AKIA", "api_key", r"AKIA[A-Z0-9]{16}"),
    ("ASIA", "api_key", r"ASIA[A-Z0-9]{16}"),
    ("ABIA", "api_key", r"ABIA[A-Z0-9]{16}"),
    ("ACCA", "api_key", r"ACCA[A-Z0-9]{16}"),
    ("ABSK", "api_key", r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),
    ("bedrock-api-key-", "api_key", r"bedrock-api-key-[A-Za-z0-9+/=]{20,}"),
    ("Q~", "api_key", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    ("v1.0-", "api_key", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,146}"),
    ("4b1d", "api_key", rf"4b1d{_W}{{38}}(?!{_W})"),
    ("dt0c01.", "token", r"dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("sha256~", "token", rf"sha256~{_WD}{{43}}"),
    ("FlyV1", "token", r"FlyV1 [A-Za-z0-9+/=_,-]{40,}"),
    ("fo1_", "token", rf"fo1_{_WD}{{43}}"),
    ("fm1", "token", r"fm1[ar]_[A-Za-z0-9+/=_-]{40,}"),
    ("tk-us-", "token", rf"tk-us-{_WD}{{48}}"),
    ("LTAI", "api_key", rf"LTAI{_W}{{12,26}}"),
    ("AKID", "api_key", rf"AKID{_W}{{13,40}}"),
    ("AKLT", "api_key", rf"AKLT{_WD}{{20,}}"),
    ("ya29.", "token", rf"ya29\.{_WD}{{20,}}"),
    ("1//0", "token", rf"1//0{_WD}{{20,}}"),
    ("GOCSPX-", "api_key", rf"GOCSPX-{_WD}{{20,}}"),
    ("dop_v1_", "token", r"dop_v1_[0-9a-f]{64}"),
    ("doo_v1_", "token", r"doo_v1_[0-9a-f]{64}"),
    ("dor_v1_", "token", r"dor_v1_[0-9a-f]{64}"),
    ("HRKU-", "api_key", rf"HRKU-{_WD}{{30,}}"),
    ("fm2_", "token", r"fm2_[A-Za-z0-9+/=_-]{40,}"),
    ("nfp_", "token", rf"nfp_{_W}{{30,}}"),
    ("dapi", "token", r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("hvs.", "token", rf"hvs\.{_WD}{{24,}}"),
    ("s.", "token", rf"s\.{_W}{{24}}(?![A-Za-z0-9.])"),
    ("hvb.", "token", rf"hvb\.{_WD}{{24,}}"),
    (".atlasv1.", "token", rf"{_W}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}"),
    ("pul-", "token", r"pul-[0-9a-f]{40}"),
    ("pscale_", "token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    ("dp.", "token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,}"),
    ("sbp_", "token", r"sbp_[0-9a-f]{40}"),
    ("sb_secret_", "api_key", rf"sb_secret_{_WD}{{20,}}"),
    ("glc_", "token", r"glc_[A-Za-z0-9+/=]{32,}"),
    ("glsa_", "token", rf"glsa_{_W}{{32}}_[0-9A-Fa-f]{{8}}"),
    ("NRAK-", "api_key", r"NRAK-[A-Z0-9]{27}"),
    # code and packages
    ("cmVmd", "token", rf"cmVmd{_W}{{59}}(?!{_W})"),
    ("CLOJARS_", "token", r"CLOJARS_[A-Za-z0-9]{60}"),
    ("GR1348941", "token", rf"GR1348941{_WD}{{20}}"),
    ("sgp_", "token", r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    ("oy2", "api_key", r"oy2[a-z0-9]{43}(?![a-z0-9])"),
    ("API-", "api_key", r"API-[A-Z0-9]{26}(?![A-Z0-9])"),
    ("pnu_", "token", rf"pnu_{_W}{{36}}"),
    ("ico-", "api_key", rf"ico-{_W}{{32}}"),
    ("pat.", "token", rf"[ps]at\.{_WD}{{22}}\.[0-9a-f]{{24}}\.{_W}{{20}}"),
    ("phx_", "token", rf"phx_{_W}{{40,}}"),
    ("gh", "token", rf"gh[pousr]_{_W}{{30,255}}"),
    ("github_pat_", "token", r"github_pat_[A-Za-z0-9_]{50,255}"),
    ("gl", "token", rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-{_WD}{{20,}}(?:\.{_WD}{{2,}})*"),
    ("ATATT3", "token", r"ATATT3[A-Za-z0-9_=-]{60,}"),
    ("ATBB", "token", rf"ATBB{_W}{{28,}}"),
    ("npm_", "token", rf"npm_{_W}{{36}}"),
    ("pypi-AgE", "token", rf"pypi-AgE{_WD}{{50,}}"),
    ("rubygems_", "token", r"rubygems_[0-9a-f]{48}"),
    ("dckr_", "token", rf"dckr_(?:pat|oat)_{_WD}{{20,}}"),
    ("CCIPAT_", "token", rf"CCIPAT_{_W}{{20,24}}_[0-9a-f]{{40}}"),
    ("AKCp", "api_key", rf"AKCp{_W}{{60,}}"),
    ("sntry", "token", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("PMAK-", "api_key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    # talk, documents, design
    ("xoxe", "token", r"xoxe\.xox[bp]-\d-[A-Za-z0-9]{100,}"),
    ("fio-u-", "token", r"fio-u-[A-Za-z0-9=_-]{64}"),
    ("rdme_", "token", r"rdme_[a-z0-9]{70}"),
    ("ops_eyJ", "token", r"ops_eyJ[A-Za-z0-9+/_-]{100,}={0,3}"),
    ("A3-", "api_key", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("p8e-", "api_key", r"p8e-[a-z0-9]{32}"),
    ("eyJrIjoi", "api_key", r"eyJrIjoi[A-Za-z0-9+/]{60,}={0,2}"),
    ("_mmk", "api_key", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("xox", "token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("xapp-", "token", r"xapp-\d-[A-Za-z0-9-]{10,}"),
    ("hooks.slack.com/", "api_key", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,}"),
    ("/api/webhooks/", "token", rf"(?:discord(?:app)?\.com)/api/webhooks/\d{{17,20}}/({_WD}{{60,}})"),
    ("webhook.office.com/", "token", r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})"),
    ("open-apis/bot/", "token", r"open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{20,})"),
    ("webhook/send?key=", "token", r"webhook/send\?key=([A-Za-z0-9-]{20,})"),
    (":AA", "token", rf"\d{{8,10}}:AA{_WD}{{33}}(?!{_WD})"),
    ("M", "token", rf"[MNO][A-Za-z0-9]{{23,27}}\.{_WD}{{6}}\.{_WD}{{27,40}}"),
    ("ntn_", "token", rf"ntn_{_W}{{40,}}"),
    ("secret_", "token", rf"secret_{_W}{{43}}(?!{_W})"),
    ("lin_", "api_key", rf"lin_(?:api|oauth)_{_W}{{32,}}"),
    ("figd_", "token", rf"figd_{_WD}{{40,}}"),
    ("pat", "token", rf"pat{_W}{{14}}\.[0-9a-f]{{64}}"),
    ("sl.", "token", rf"sl\.{_WD}{{130,}}"),
    # money and mail
    ("_prod_", "api_key", rf"(?:sk|pk|rk)_prod_{_W}{{10,}}"),
    ("duffel_", "token", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
    ("FLW", "api_key", r"FLW(?:SEC|PUB)K(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?"),
    ("shippo_", "token", r"shippo_(?:live|test)_[0-9a-fA-F]{40}"),
    ("xkeysib-", "api_key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("sm_", "token", rf"sm_[aps]at_{_W}{{16}}"),
    ("rzp_", "api_key", rf"rzp_(?:live|test)_{_W}{{14,}}"),
    ("|", "token", rf"\d{{15,16}}(?:\||%7C){_WD}{{27,40}}(?!{_WD})"),
    ("s-s4t2", "api_key", r"s-s4t2(?:ud|af)-[0-9a-f]{64}"),
    ("_live_", "api_key", rf"(?:sk|pk|rk)_live_{_W}{{10,}}"),
    ("_test_", "api_key", rf"(?:sk|pk|rk)_test_{_W}{{10,}}"),
    ("whsec_", "api_key", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("sq0", "api_key", rf"sq0(?:atp|csp|idp)-{_WD}{{22,}}"),
    ("EAAA", "token", rf"EAAA{_WD}{{22,60}}"),
    ("shp", "token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("SG.", "api_key", rf"SG\.{_WD}{{20,24}}\.{_WD}{{39,50}}"),
    ("key-", "api_key", r"key-[0-9a-z]{32}(?![0-9a-z])"),
    ("-us", "api_key", r"[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    ("AC", "api_key", r"AC[0-9a-f]{32}(?![0-9a-f])"),
    ("SK", "api_key", r"SK[0-9a-fA-F]{32}(?![0-9A-Za-z])"),
    ("EAA", "token", rf"EAA[MC]{_W}{{60,}}"),
    ("IGQV", "token", rf"IGQV{_WD}{{60,}}"),
    ("EZ", "api_key", rf"EZ[AT]K{_W}{{54}}"),
    # others
    ("AGE-SECRET-KEY-", "private_key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("k.eyJ", "token", rf"[ps]k\.eyJ{_WD}{{30,}}\.{_WD}{{20,}}"),
    ("django-insecure-", "api_key", r"django-insecure-[^\s'\"]{20,80}"),
    (".", "api_key", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9.])"),
)
ROWS: Final = tuple((word, kind, re.compile(_LEFT + pattern)) for word, kind, pattern in _ROWS)

_JWT: Final = re.compile(rf"{_LEFT}eyJ{_WD}{{8,}}\.eyJ{_WD}{{8,}}\.{_WD}{{8,}}")
_PEM: Final = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Final = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr])*")
_PEM_LIMIT: Final = 1 << 16
_PEM_LINE: Final = re.compile(r"[A-Za-z0-9+/]{20}")
_AFTER_AWS: Final = re.compile(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AFTER_TWILIO: Final = re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{32}(?![A-Za-z0-9])")
_PARTNERS: Final = (("AKIA", _AFTER_AWS, "api_key"), ("ASIA", _AFTER_AWS, "api_key"), ("AC", _AFTER_TWILIO, "token"))
_REACH: Final = 100


def find_keys(view: View) -> Iterator[Finding]:
    """Marked keys, JSON Web Tokens, private key blocks."""
    if view.runs:
        yield from _marked(view)
    if "PRIVATE KEY" in view.text:
        yield from _private_keys(view.text)


def _marked(view: View) -> Iterator[Finding]:
    text, origin = view.condensed.text, view.condensed.origin
    for word, kind, pattern in ROWS:
        if word in text:
            for match in pattern.finditer(text):
                start, end = match.span(match.lastindex or 0)
                if not _is_words(text[start:end]):
                    start = origin(start)
                    end = start + len(match[match.lastindex or 0])
                    yield Finding(kind, start, end, 0.98)
                    yield from _partner(view.text, view.text[start : start + 4], end)
    if "eyJ" in text:
        for match in _JWT.finditer(text):
            start = origin(match.start())
            yield Finding("jwt", start, start + len(match[0]), 0.985)


def _is_words(value: str) -> bool:
    """``sk-learn-based-classification``: hyphens between words, no stretch that a machine made."""
    if not value.startswith(("sk-", "key-", "pul-")):
        return False
    return not any(len(part) >= 8 and any(sign.isdigit() for sign in part) for part in re.split("[-_]", value))


def _partner(text: str, prefix: str, end: int) -> Iterator[Finding]:
    """The unmarked secret that usually follows a marked identifier."""
    for start, pattern, kind in _PARTNERS:
        if prefix.startswith(start):
            match = pattern.search(text, end, end + _REACH)
            if match:
                yield Finding(kind, *match.span(), 0.9)


def _private_keys(text: str) -> Iterator[Finding]:
    """Whole blocks; one cut short ends where its base64 ends."""
    opened: re.Match[str] | None = None
    for mark in _PEM.finditer(text):
        if opened and mark[1] == "END" and _is_body(text, opened.end(), mark.start()):
            yield Finding("private_key", opened.start(), mark.end(), 0.99)
        elif opened:
            yield from _cut_short(text, opened, mark.start())
        opened = mark if mark[1] == "BEGIN" else None
    if opened:
        yield from _cut_short(text, opened, len(text))


def _is_body(text: str, start: int, end: int) -> bool:
    """Between the marks there is a key, and no NUL, which stands between the strings of a conversation."""
    return (
        end - start < _PEM_LIMIT and _PEM_LINE.search(text, start, end) is not None and text.find("\0", start, end) < 0
    )


def _cut_short(text: str, opened: re.Match[str], limit: int) -> Iterator[Finding]:
    body = _PEM_BODY.match(text, opened.end(), limit)
    if body and _PEM_LINE.search(body[0]):
        end = body.start() + len(body[0].rstrip())
        yield Finding("private_key", opened.start(), end, 0.98)
