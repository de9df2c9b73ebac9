"""Any message at all: null and missing content, lone surrogates, attachments, extensions. And services for tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, ROLES, Attachment, Message, ToolCall
from mnemo_lab.services import Services, ServicesSpec

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
EXTENSIONS = st.dictionaries(ANY_TEXT, JSON, max_size=2)
CALLS = st.builds(ToolCall, ANY_TEXT, ANY_TEXT, ANY_TEXT, EXTENSIONS)
MAYBE = st.none() | ANY_TEXT
ATTACHMENTS = st.builds(Attachment, st.sampled_from(["image", "file"]), MAYBE, MAYBE, MAYBE, MAYBE, EXTENSIONS)
MESSAGES: st.SearchStrategy[Message] = st.builds(
    Message,
    st.sampled_from(ROLES),
    st.none() | st.just(MISSING) | ANY_TEXT,
    ANY_TEXT,
    MAYBE,
    MAYBE,
    st.lists(CALLS, max_size=2).map(tuple),
    MAYBE,
    MAYBE,
    st.lists(ATTACHMENTS, max_size=2).map(tuple),
    EXTENSIONS,
)


def new_services(**settings: Any) -> Services:
    return ServicesSpec(**{"embedder": "hashing", "cache": "", **settings}).open()
