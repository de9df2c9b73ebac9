"""Texts that try to break out of a page, and what a page made of them consists of."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall

SCRIPT = "<script>alert(1)</script>"
PIECES = [
    SCRIPT,
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</details>",
    "</pre>",
    "</code>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?x",
    "<a href=javascript:alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVa\tScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\\script:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x]: javascript:alert(1)",
    "[x]:\n javascript:alert(1)",
    "[x](data:text/html,<script>1</script>)",
    "![x](https://evil.example/p.png)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "https://a`b",
    "[x](`)",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "  ```",
    "- ```",
    "> ```",
    "1. x\n   ```",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "\\",
    "\\](javascript:alert(1))",
    "[",
    "|",
    "$",
    "|-|-|",
    "- ",
    "> ",
    "# ",
    "===",
    "---",
    "x",
    "&lt;",
    "&amp;lt;script&amp;gt;",
    '"',
    "'",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "\x00",
    "\u2028",
    "\r",
    "\ud800",
    "汉",
]
hostile = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)
calls = st.builds(ToolCall, id=hostile, name=hostile, arguments=hostile)
attachments = st.builds(
    Attachment,
    kind=st.sampled_from(["image", "file"]),
    media_type=st.none() | hostile | st.just("image/svg+xml"),
    reference=st.none() | hostile | hostile.map(lambda text: f"https://x.org/{text}"),
    data=st.none() | st.just("aGk=") | hostile,
    name=st.none() | hostile,
)
cited = st.fixed_dictionaries({}, optional={"title": hostile, "url": hostile | hostile.map("https://x.org/".__add__)})
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=hostile,
    id=hostile,
    timestamp=st.none() | hostile | st.just("2026-03-01T12:00:00Z"),
    name=st.none() | hostile,
    tool_calls=st.lists(calls, max_size=1).map(tuple),
    attachments=st.lists(attachments, max_size=1).map(tuple),
    extensions=st.fixed_dictionaries(
        {},
        optional={
            "reasoning": st.lists(st.fixed_dictionaries({"text": hostile}), max_size=1),
            "citations": st.lists(cited, max_size=1),
            "refusal": hostile,
        },
    ),
)
hostile_conversations = st.builds(
    Conversation,
    messages=st.lists(messages, max_size=2).map(tuple),
    id=hostile,
    title=hostile,
    model=st.none() | hostile,
    system_prompt=st.none() | hostile,
    summary=st.none() | hostile,
)

ALLOWED = frozenset(
    """html head meta title style body main section article header details summary dl dt dd h1 h2 h3 h4 h5 h6 p a b bdi
    time span div pre code ol ul li blockquote hr br table thead tbody tr th td em strong s figure img""".split()
)
ATTRIBUTES = frozenset(
    "lang dir id class href rel title datetime open src alt charset content name http-equiv start style".split()
)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.bad: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ALLOWED:
            self.bad.append(tag)
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        harmless = name in ATTRIBUTES
        if name == "href":
            harmless = value.startswith(("https://", "http://", "#")) or ":" not in value
        if name == "src":
            harmless = value.startswith("data:image/")
        if name == "style":
            harmless = value in ("text-align:right", "text-align:left", "text-align:center")
        if not harmless:
            self.bad.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.bad.append(f"comment {data}")

    def unknown_decl(self, data: str) -> None:
        self.bad.append(f"declaration {data}")

    def handle_pi(self, data: str) -> None:
        self.bad.append(f"instruction {data}")


def dissected(page: str) -> _Tags:
    """What a browser would find in a page, near enough; ``bad`` is what must not be there."""
    found = _Tags()
    found.feed(page)
    found.close()
    return found


RENDERERS = [
    MarkdownIt("commonmark", {"html": True}),
    MarkdownIt("gfm-like", {"html": True, "linkify": False}),
]
for renderer in RENDERERS:
    renderer.validateLink = lambda _: True  # type: ignore[method-assign, assignment]
"""As careless as renderers come: HTML passes, and so does every address."""
