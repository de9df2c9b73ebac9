"""Addresses and names of machines. Public names, loopback, masks and well-known resolvers are nobody's secret."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.view import View, left_run

_IPV4: Final = re.compile(
    r"[0-9](?<![A-Za-z0-9_.\-][0-9])[0-9]{0,2}(?:\.[0-9]{1,3}){3}(?![A-Za-z0-9_]|\.[0-9]|-[A-Za-z0-9])"
)
_IPV6: Final = re.compile(
    r"[23fF](?<![A-Za-z0-9:_.][23fF])(?:(?<=[23])[0-9A-Fa-f]|[CDcd]"
    r"|[Ee][89ABab])[0-9A-Fa-f]{1,2}:[0-9A-Fa-f:]{2,36}[0-9A-Fa-f](?![A-Za-z0-9_:])"
)
_KNOWN: Final = frozenset(
    """8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 208.67.222.222 208.67.220.220 4.2.2.2 114.114.114.114 114.114.115.115
    223.5.5.5 223.6.6.6 119.29.29.29 180.76.76.76 169.254.169.254 100.100.100.200""".split()
)
_NOT_ADDRESS: Final = re.compile(
    r"(?i:version|ver|v|release|build|firmware|driver|bios|section|sec|chapter|§|版本|版|固件|驱动|第|章|节|升级到"
    r"|(?:update|upgrade)[sd]? to)[\s:：=.]{0,3}$|(?<!/)/$"
)
_SPEAKS_OF_ADDRESS: Final = re.compile(
    r"(?i:\bip|host|server|addr|ping|ssh|from|gateway|dns|curl|telnet|//|@|地址|服务器|主机|网关|公网|内网"
    r"|从)[\s\w:：=是为\"']{0,12}$"
)
_PRIVATE: Final = "internal|local|lan|corp|intranet|intra|localdomain|home\\.arpa|private"
_END: Final = re.compile(rf"\.(?:{_PRIVATE})(?![A-Za-z0-9_(\-]|\.[A-Za-z0-9_])", re.I)
_LABELS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
_WORDS: Final = ("internal", "local", "lan", "corp", "intra", "intranet", "localdomain", "arpa", "private")
_STRONG: Final = ("lan", "corp", "intranet", "intra", "arpa", "localdomain")
_PUBLIC_HOSTS: Final = frozenset(
    """host.docker.internal gateway.docker.internal kubernetes.docker.internal metadata.google.internal
    localhost.localdomain host.containers.internal svc.cluster.local cluster.local
    kubernetes.default.svc.cluster.local""".split()
)
_CODE: Final = frozenset(
    "com org net io java javax sun dev github self this threading module package asyncio env settings config".split()
)
_SPEAKS_OF_HOST: Final = re.compile(
    r"(?i:://|@|host|server|ping|ssh|scp|nslookup|dig|curl|telnet|domain|dns|主机|域名|服务器|机|解析"
    r"|访问)[\s:：=是为\"'(（]{0,3}$"
)


def find_network(view: View) -> Iterator[Finding]:
    """IP addresses and host names."""
    yield from _ipv4(view)
    if view.text.count(":") >= 3:
        yield from _ipv6(view)
    if view.says(*_WORDS):
        yield from _hosts(view)


def _ipv4(view: View) -> Iterator[Finding]:
    for match in _candidates(view):
        try:
            address = ipaddress.IPv4Address(match[0])
        except ValueError:
            continue
        if _is_nobodys(address) or match[0] in _KNOWN:
            continue
        before = view.before(match.start(), 24)
        if _NOT_ADDRESS.search(before):
            continue
        octets = [int(part) for part in match[0].split(".")]
        if max(octets) <= 20 and octets[0] != 10 and not _SPEAKS_OF_ADDRESS.search(before):
            continue  # 1.2.3.4 and 4.2.1.3 are numbers of versions and sections far more often
        yield Finding("ip", *match.span(), 0.9)


def _candidates(view: View) -> Iterator[re.Match[str]]:
    for start, end in view.numbers:
        if view.text.count(".", start, end) >= 3:
            yield from _IPV4.finditer(view.text, start, end + 2)


def _is_nobodys(address: ipaddress.IPv4Address) -> bool:
    return (
        address.is_loopback or address.is_unspecified or address.is_multicast or str(address).startswith(("255.", "0."))
    )


def _ipv6(view: View) -> Iterator[Finding]:
    for match in _IPV6.finditer(view.text):
        if match[0].count(":") < 2:
            continue
        try:
            ipaddress.IPv6Address(match[0])
        except ValueError:
            continue
        yield Finding("ip", *match.span(), 0.9)


def _hosts(view: View) -> Iterator[Finding]:
    text = view.text
    for match in _END.finditer(text):
        start = left_run(text, match.start(), _LABELS, 253)
        before = text[start - 1 : start]
        if start == match.start() or before in ("_", "\\") or text[start] in ".-":
            continue
        if before == "/" and text[start - 2 : start - 1] != "/":
            continue  # a file: etc/app.local
        if _is_private_host(view, start, match.end()):
            yield Finding("host", start, match.end(), 0.92)


def _is_private_host(view: View, start: int, end: int) -> bool:
    name = view.text[start:end].lower()
    labels = name.split(".")
    if name in _PUBLIC_HOSTS or labels[0] in _CODE:
        return False
    if labels[-1] in _STRONG or name.endswith(".svc.cluster.local"):
        return True
    spoken = _SPEAKS_OF_HOST.search(view.before(start, 16)) or re.match(r":\d{2,5}(?!\d)", view.text[end : end + 7])
    return bool(spoken) or len(labels) >= 3 or any("-" in label or label[-1:].isdigit() for label in labels[:-1])
