"""Texts as markup: an assistant's as Markdown without HTML, everybody else's as written, with their code blocks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.formats.transcript.fences import pieces
from mnemo_lab.formats.transcript.shown import safe_link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

LONGEST: Final = 100_000
"""Longer texts are shown as written: Markdown takes more than linear time on some of them."""
_BLANK: Final = re.compile(r"\n(?:[ \t\r]*\n)+")
_DEMOTED: Final = 2


def plain(text: str) -> Markup:
    """Text as written, with code blocks where it has fences and paragraphs where it has blank lines."""
    from markupsafe import Markup

    made: list[Markup] = []
    for piece in pieces(text):
        if piece.code:
            made.append(Markup('<pre class="code"><code>{}\n</code></pre>').format(piece.text))
        else:
            made += [
                Markup('<p class="as-is">{}</p>').format(part) for part in _BLANK.split(piece.text) if part.strip()
            ]
    return Markup("\n").join(made)


def prose(text: str) -> Markup:
    """Markdown as HTML: tags in it are text, pictures become links, links lead to the web only."""
    from markupsafe import Markup

    if len(text) > LONGEST:
        return plain(text)
    try:
        return Markup(_parser().render(text))
    except RecursionError:
        return plain(text)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline", "entity"])
    parser.validateLink = _is_allowed  # type: ignore[method-assign, assignment]
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def _is_allowed(address: str) -> bool:
    return safe_link(address) is not None


def _link(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    return str(renderer.renderToken(tokens, index, options, env))


def _heading(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """Below the headings of the page."""
    level = min(6, int(tokens[index].tag[1]) + _DEMOTED)
    return f"<h{level}>" if tokens[index].nesting > 0 else f"</h{level}>\n"
