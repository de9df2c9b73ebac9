"""Facts from the JSON of a language model: wrong types are read as far as they can be, what nobody said is left out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Message, time_of
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.extraction.prompts import CATEGORIES
from mnemo_lab.language_models.answers import read_object
from mnemo_lab.language_models.errors import BrokenAnswer
from mnemo_lab.language_models.reading import without_thoughts
from mnemo_lab.text.key_terms import stands_in
from mnemo_lab.text.language import language_of
from mnemo_lab.text.normalise import normalise
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words

OUT_OF_RANGE: Final = "out_of_range"
MALFORMED: Final = "malformed"
INFERRED: Final = "inferred"
LONGEST: Final = 300
"""Characters of a value or a sentence."""
_LISTS: Final = ("facts", "memories", "items", "事实")
_BARE_LIST: Final = re.compile(r"\[\s*[{\]]")
_NEXT_OBJECT: Final = re.compile(r"\}\s*,?\s*\{")
_SELF: Final = frozenset("user the_user i me speaker 用户 我 本人 说话人".split())
_GENERIC: Final = frozenset("project team we 项目 我们 团队".split())
"""Subjects that need not stand in a message."""
_CATEGORY: Final = {
    "fact": "user_info", "profile": "user_info", "用户信息": "user_info", "个人信息": "user_info", "偏好": "preference",
    "preferences": "preference", "项目": "project_fact", "project": "project_fact", "项目事实": "project_fact",
    "决定": "decision", "decisions": "decision",
}  # fmt: skip
_NEGATIVE: Final = frozenset("negative negated neg no not false 否定 否 负面".split())
_TRUE: Final = frozenset("true yes 1 是 对".split())
_BETWEEN: Final = re.compile(r"[,，、;；&|]|\b(?:and|or)\b|[和与及或]")
_DATES: Final = re.compile(r"(?:y\d{4} )?m\d{1,2}d\d{1,2}|\b\d{4}-\d{2}\b")
"""As ``normalise`` writes them, and months."""


class Shown(NamedTuple):
    """A message as a model is shown it: what of its text was really said there."""

    message: Message
    text: str


class Said:
    """What stands in texts, whatever its width, case and punctuation."""

    def __init__(self, texts: Iterable[str]) -> None:
        joined = "\n".join(texts)
        self._normal, self._folded = f" {normalise(joined)} ", _folded(joined)
        self._words = set(words(joined))
        self._numbers = set(re.findall(r"\d+", f"{self._normal} {self._folded}"))

    def has(self, value: str) -> bool:
        """Whether a value stands there: in one, or each part of an enumeration; days are not looked for."""
        if self._stands(value):
            return True
        parts = [_DATES.sub(" ", normalise(part)).strip() for part in _BETWEEN.split(value)]
        return bool(re.search(r"\w", value)) and all(self._stands(part) for part in parts if part)

    def has_word_of(self, text: str) -> bool:
        return not self._words.isdisjoint(words(text))

    def has_numbers_of(self, text: str) -> bool:
        return set(re.findall(r"\d+", _DATES.sub(" ", normalise(text)))) <= self._numbers

    def _stands(self, part: str) -> bool:
        plain, folded = normalise(part), _folded(part)
        return bool(plain) and (f" {plain} " in self._normal or stands_in(self._folded, folded))


def items_of(answer: str) -> list[Any]:
    """What an answer lists as facts; raises ``BrokenAnswer`` where it lists nothing."""
    text = without_thoughts(answer)
    first = re.search(r"[\[{]", text)
    if first and _BARE_LIST.match(text, first.start()):
        end = text.rfind("]")
        text = f'{{"facts": {text[first.start() : end + 1 if end > first.start() else None]}}}'
    found = read_object(text, (*_LISTS, "value"))
    named = [name for name in _LISTS if name in found]
    listed = (found[named[0]] or []) if named else _bare(text)
    if isinstance(listed, dict):
        listed = [listed] if "value" in listed else list(listed.values())
    if not isinstance(listed, list):
        raise BrokenAnswer('"facts" must be a list')
    return listed


def _bare(text: str) -> Any:
    """Facts without a list around them, one after the other."""
    objects = _NEXT_OBJECT.sub("}, {", text[text.index("{") : text.rfind("}") + 1 or None])
    return read_object(f'{{"facts": [{objects}]}}', ("facts",))["facts"]


def facts_of(
    items: Sequence[Any], numbered: Sequence[Shown], said: Said, categories: Sequence[str] = CATEGORIES
) -> tuple[list[Fact], Counter[str]]:
    """Facts in the order of their messages, and what was dropped: with a number of no message, without a value or of
    no readable form, or with a value or subject that nobody said. Raises ``BrokenAnswer`` where none has its form."""
    found: dict[tuple[str, ...], tuple[int, Fact]] = {}
    dropped: Counter[str] = Counter()
    own = [Said([one.text]) for one in numbered]
    for item in items:
        place = _place(item, len(numbered))
        value = _line(item.get("value")) if isinstance(item, dict) else ""
        fault = MALFORMED if not value or place is None or len(value) > LONGEST else ""
        fault = fault or (OUT_OF_RANGE if place not in range(len(numbered)) else "" if said.has(value) else INFERRED)
        fact = None if fault or place is None else _fact(item, value, numbered[place], said, categories)
        if fact is None or place is None:
            dropped[fault or INFERRED] += 1
            continue
        # a number too low is mended; what stands before may be what this message accepts
        place = next((n for n in range(place, len(own)) if own[n].has(value)), place)
        fact = replace(fact, message=numbered[place].message.id)
        found.setdefault((fact.message, fact.subject, fact.attribute, value.casefold()), (place, fact))
    if items and dropped[MALFORMED] == len(items):
        raise BrokenAnswer('no fact has a "message" and a "value"')
    return [fact for _, fact in sorted(found.values(), key=lambda pair: pair[0])], dropped


def _place(item: Any, messages: int) -> int | None:
    """From 0 on; ``None`` where no number is given (of one message it need not be)."""
    given = item.get("message", item.get("id")) if isinstance(item, dict) else None
    given = given[0] if isinstance(given, list) and given else given
    number = re.fullmatch(r"[^\w-]*(-?\d{1,6})(?:\.0)?\W*", str(given))
    return int(number[1]) - 1 if number else 0 if messages == 1 and given is None else None


def _fact(item: Mapping[str, Any], value: str, shown: Shown, said: Said, categories: Sequence[str]) -> Fact | None:
    message = shown.message
    subject = _subject(_line(item.get("subject")), message.name)
    if subject not in (USER, message.name) and subject.casefold() not in _GENERIC and not said.has_word_of(subject):
        return None
    former = _line(item.get("former"))
    wanted = _line(item.get("category")).casefold().replace(" ", "_")
    known = {name.casefold(): name for name in categories}
    is_person = subject in (USER, message.name)
    return Fact(
        category=known.get(_CATEGORY.get(wanted, wanted), "user_info" if is_person else "project_fact"),
        subject=subject,
        attribute=_line(item.get("attribute")).replace("_", " ").casefold()[:LONGEST] or "fact",
        value=value,
        content=_content(_line(item.get("content")), value, shown, said),
        language=language_of([shown.text]),
        message=message.id,
        importance=round(min(max(_number(item.get("importance"), 3), 1), 5)),
        confidence=_share(item.get("confidence")),
        polarity="negative" if _line(item.get("polarity")).casefold() in _NEGATIVE else "positive",
        valid_from=_day(item.get("valid_from")),
        valid_to=_day(item.get("valid_to")),
        changes=_is_true(item.get("changes")),
        former=former if former and said.has(former) else None,
        additive=_is_true(item.get("additive")) or not _line(item.get("attribute")),  # unnamed facts are apart
        past=_is_true(item.get("past")),
    )


def _subject(given: str, name: str | None) -> str:
    is_speaker = not given or given.casefold().replace(" ", "_") in _SELF
    return name or USER if is_speaker else given[:LONGEST]


def _content(given: str, value: str, shown: Shown, said: Said) -> str:
    """The model's sentence; the person's own where that one is translated, endless, or has a number nobody said."""
    own = language_of([shown.text])
    if given and len(given) <= LONGEST and language_of([given]) == own and said.has_numbers_of(given):
        return given
    spoken = [" ".join(shown.text[start:end].split()) for start, end in sentences(shown.text)]
    return next((text for text in spoken if Said([text]).has(value)), " ".join(shown.text.split()))[:LONGEST]


def _line(value: Any) -> str:
    """Any value as one line; nothing for what is no text or number."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_line, value)))
    if isinstance(value, bool):
        return str(value).lower()
    line = " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
    return "" if line.casefold() in ("null", "none", "n/a", "无") else line


def _number(value: Any, default: float) -> float:
    found = re.search(r"-?\d+(?:\.\d+)?", _line(value))
    return float(found[0]) if found else default


def _share(value: Any) -> float:
    """0 to 1, also from a percentage."""
    number = _number(value, 0.8)
    return min(max(number / 100 if number > 1 else number, 0.0), 1.0)


def _day(value: Any) -> str | None:
    day = _line(value)[:10]
    return day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) and time_of(day) else None


def _is_true(value: Any) -> bool:
    return _line(value).casefold() in _TRUE


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
