"""Write the page from its template; every text is escaped there, only rendered Markdown comes as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.html.prose import plain, prose
from mnemo_lab.formats.lists.prepare import prepared
from mnemo_lab.formats.transcript.view import page_of
from mnemo_lab.formats.transcript.words import Language, word

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATE: Final = "transcript.html.jinja"
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_HANGUL: Final = re.compile(r"[\uac00-\ud7af]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One page with a section per conversation, in the language of ``options``."""
    ready = prepared(conversations)
    pages = [page_of(item, options.language) for item in ready]
    page = _environment(options.language).get_template(TEMPLATE).render(pages=pages, language=options.language)
    # Controls have no place in HTML; a browser would drop some and draw boxes for others.
    data = _CONTROL.sub("\ufffd", page).encode()
    return Written(data, tuple(found for item in ready for found in item.tally.losses))


def language_of(text: str) -> str:
    """The language attribute that makes a browser choose the right shapes for East Asian text."""
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    return "zh-Hans" if _HAN.search(text) else "und"


@cache
def _environment(language: Language) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mnemo_lab.formats.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    environment.filters["plain"] = plain
    environment.filters["lang"] = language_of
    environment.globals["word"] = partial(word, language=language)
    return environment
