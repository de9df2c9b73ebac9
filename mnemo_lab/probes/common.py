"""How common a word is in the world at large, without a corpus: by the token tables that come with the package.

A byte-pair encoding merges what is frequent first, so a word that is one token with a low number is an everyday word,
and one that falls into several tokens is not. It is a rough guide, the same in both languages, and needs no model.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mnemo_lab.tokens import open_counter

EVERYDAY: Final = 10_000
"""Words below this number: ``parking`` (14,472) is above it, ``kitchen`` (10,084) just so, ``weeks`` (7,449) below."""
KNOWN: Final = 40_000
"""Names below this number are names that everyone knows: ``Excel`` (24,151), ``Rome`` (27,388), not ``Luna``."""
LIGHT: Final = frozenset(
    """able absolutely actually after agree all almost already also always amazing another any anything appreciate
    appreciated appreciating around away awesome back bad balance be beautiful been before being best better big bit
    both bring bringing brings came can can't cannot chasing cherish come comfort cool could course crossed crossing
    day days definitely did didn't difference different does doesn't doing don't done down dream dreams during each
    eight else encouragement encouraging enjoy enjoyed enjoying enjoys enough even ever every everyone everything
    exactly excited excites exciting experience experiences face facing far fave favorite favorites favourite feel
    feeling feels felt few find finding finds fine fingers first five found four fulfilling full fun get gets
    getting give glad go goal goals goes going gonna good got grateful great greatly guess guys had happen happened
    happening happens happiness happy hard has have haven't having he hear hectic help helped helping helps here him
    his hold holding hope hours huge hundred idea idk incredible inspired inspires inspiring interesting journey joy
    just keep kind kinda know last lately least left less let lets like little long look looks lot lots love loved
    loves loving made main make makes making many matter maybe me mean means might mind minds mine minutes moment
    moments months more most motivated motivates motivating motivation move moves moving much must myself name need
    never new next nice nicely nicer nine nothing now off often old one only other others our ours ourselves out
    over own part people perhaps personal place plan planning plans please point positive positivity pretty probably
    proud push pushed pushes pushing put quick quite rather real really recommend recommended remember remind
    reminder reminding reminds rewarding ride right said same say says second see seeing seems seven shall share
    shared sharing she should show since six small so some somebody someone something soon sorry sound sounded
    sounds special spread spreading start started stay stayed staying stays still stuff such super support supported
    supporting supportive sure take takes taking tell ten than thank thanks that that'll their them these they thing
    things think third those though thousand three through time times tip tips today together tomorrow too took top
    totally touch tough tried trip truly try trying two under unique until up us use used using usually very via
    wait wanna want wanted way ways we week weeks well went what whatever whether while who whole whom why wild will
    wish within without won't wonderful word words work working works world worth would wow yeah year years yep yes
    yesterday yet you your yours yourself zone""".split()
)
"""English words that make no term, alone or beside another."""


@lru_cache(maxsize=65536)
def pieces(text: str) -> int:
    """Tokens of a text."""
    return open_counter("o200k_base").count(text)


def everyday(word: str) -> bool:
    """Whether a Latin word is one of the most frequent; case does not count."""
    return _number(word.casefold()) < EVERYDAY


def known(name: str) -> bool:
    """Whether a name is one that everyone knows, and a conversation need not introduce."""
    return _number(name) < KNOWN


@lru_cache(maxsize=65536)
def _number(word: str) -> int:
    """The number of the word's token, as it stands inside a sentence; beyond all numbers where it is several."""
    tokens = open_counter("o200k_base").encode(f" {word}")
    return tokens[0] if len(tokens) == 1 else 1_000_000
