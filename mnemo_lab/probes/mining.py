"""Probes without labels: what a later message uses again, and the message that introduced it.

No model and no label is needed. For each message of a person, and each short one of an assistant: the rare things in
it (paths, error codes, identifiers, numbers, titles, quoted phrases, names, Chinese terms, English word pairs) that
were introduced at least ``min_turns`` turns earlier and not used since. The message is the question, and where they
were introduced is the evidence. It is the situation in which a memory is needed without anyone asking for it; whether
the message *answers* something is not known, so there is no gold answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.corpora.message_ids import make_unique
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.tree import active_path
from mnemo_lab.probes.masking import hide
from mnemo_lab.probes.reuse import Link, Reader, Use
from mnemo_lab.recording import Probe, Recording, Span
from mnemo_lab.text.passages import passages
from mnemo_lab.text.sentences import sentence_at
from mnemo_lab.text.words import words

MIN_TURNS: Final = 6
"""One more than the ten last messages hold, which the commonest truncation keeps anyway."""
MOST: Final = 40
MOST_OF_A_KIND: Final = 15
MOST_EVIDENCE: Final = 3
MOST_ASKED_OF: Final = 3
"""Probes whose surest evidence is the same message: one long first message must not make half of the set."""
ENOUGH: Final = 2.0
ENOUGH_OF_PHRASES: Final = 2.5
"""For English word pairs alone: people's talk is full of set phrases."""
ENOUGH_BESIDE: Final = 3.0
"""For a second and third evidence message, which nobody would miss."""
LONGEST: Final = 4000
"""Characters of an evidence message. A longer one fits no small budget whole and tells nothing about choosing."""
REPEATED: Final = 0.6
FEWEST_WORDS: Final = 8
CATEGORY: Final = "mined:"


def mine(
    source: Conversation | Recording,
    min_turns: int = MIN_TURNS,
    *,
    most: int = MOST,
    most_of_a_kind: int = MOST_OF_A_KIND,
    masked: bool = False,
) -> list[Probe]:
    """Probes of a conversation or recording, in the order they are asked; the same for the same input.

    At most ``most``, at most ``most_of_a_kind`` of each kind, the surest first. ``masked`` takes the things that are
    used again out of the questions, and every other rare word that question and evidence share, because by these words
    the pair was found. Of a conversation with branches the active path is read. Message ids are the conversation's own,
    or those that ``load`` gives where it has none. Category: ``mined:<kind>``; ``extensions["things"]`` are the things
    used again.
    """
    if min_turns < 1:
        raise InvalidInput(f"min_turns is {min_turns}; what was said in the same turn is no memory: use 1 or more")
    conversations = source.conversations if isinstance(source, Recording) else (active_path(source).conversation,)
    reader = Reader(make_unique(conversations)[1].messages)
    found = [
        links
        for position, group in groupby(reader.links(min_turns), key=lambda link: link.position)
        if reader.may_ask(position) and (links := _surest(reader, group))
    ]
    chosen = _chosen(found, most, most_of_a_kind)
    return [_probe(reader, links, masked) for links in sorted(chosen, key=lambda links: links[0].position)]


def _surest(reader: Reader, links: Iterable[Link]) -> list[Link]:
    """The surest links of one message, best first."""
    good = [link for link in links if link.score >= _enough(link) and _is_usable(reader, link)]
    ranked = sorted(good, key=lambda link: (-link.score, link.evidence))[:MOST_EVIDENCE]
    return ranked[:1] + [link for link in ranked[1:] if link.score >= ENOUGH_BESIDE]


def _enough(link: Link) -> float:
    return ENOUGH_OF_PHRASES if link.kind == "phrase" else ENOUGH


def _is_usable(reader: Reader, link: Link) -> bool:
    """Whether the evidence is a message whose own text says the thing, and that the later one does not repeat."""
    message = reader.messages[link.evidence]
    inside = all(use.there.end <= len(message.text) for use in link.uses)
    return inside and message.role != "system" and len(message.text) <= LONGEST and not _repeats(reader, link)


def _repeats(reader: Reader, link: Link) -> bool:
    """Whether one of the two is mostly the other: a pasted log or a template, which relies on nothing."""
    one, two = (set(words(reader.texts[p])) for p in (link.position, link.evidence))
    fewer = min(len(one), len(two))
    return fewer > FEWEST_WORDS and len(one & two) > REPEATED * fewer


def _chosen(found: Iterable[list[Link]], most: int, most_of_a_kind: int) -> list[list[Link]]:
    """The surest, within the caps; ties go to the earlier message."""
    kinds: Counter[str] = Counter()
    asked_of: Counter[int] = Counter()
    kept: list[list[Link]] = []
    for links in sorted(found, key=lambda links: (-links[0].score, links[0].position)):
        best = links[0]
        if len(kept) < most and kinds[best.kind] < most_of_a_kind and asked_of[best.evidence] < MOST_ASKED_OF:
            kinds[best.kind] += 1
            asked_of[best.evidence] += 1
            kept.append(links)
    return kept


def _probe(reader: Reader, links: Sequence[Link], masked: bool) -> Probe:
    message, before = reader.messages[links[0].position], reader.messages[links[0].position - 1]
    in_order = sorted(links, key=lambda link: link.evidence)
    return Probe(
        id=f"mined-{message.id}",
        question=_question(reader, links, masked),
        category=f"{CATEGORY}{links[0].kind}",
        evidence=tuple(reader.messages[link.evidence].id for link in in_order),
        spans=tuple(dict.fromkeys(_span(reader, link, use) for link in in_order for use in link.uses)),
        after=before.id,
        asked_at=message.timestamp,
        extensions={"things": [use.thing.key for link in in_order for use in link.uses]},
    )


def _question(reader: Reader, links: Sequence[Link], masked: bool) -> str:
    """The message; of a long one the passages that use something again."""
    text, mentions = reader.texts[links[0].position], [use.here for link in links for use in link.uses]
    kept, start = [], 0
    for passage in passages(text):
        if any(start <= mention.start < start + len(passage) for mention in mentions):
            kept.append(passage.strip())
        start += len(passage)
    question = "\n".join(kept)
    if not masked:
        return question
    shared = frozenset[str]().union(*(reader.shared(link.evidence, link.position) for link in links))
    return hide(question, {text[m.start : m.end] for m in mentions}, shared)


def _span(reader: Reader, link: Link, use: Use) -> Span:
    """The line or sentence of the evidence that introduces the thing."""
    message = reader.messages[link.evidence]
    start, end = sentence_at(message.text, use.there.start, use.there.end)
    return Span(message.id, start, end)
