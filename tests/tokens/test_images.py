"""Image tokens against the vendors' published examples."""

from __future__ import annotations

import base64
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mnemo_lab.conversation import Attachment
from mnemo_lab.tokens.images import attachment_tokens, image_size, image_tokens


def picture(width: int, height: int, kind: str = "PNG") -> str:
    stream = io.BytesIO()
    Image.new("RGB", (width, height)).save(stream, kind)
    return base64.b64encode(stream.getvalue()).decode()


@pytest.mark.parametrize(
    ("size", "tokens"), [((1024, 1024), 765), ((2048, 4096), 1105), ((512, 512), 255), ((1, 1), 255)]
)
def test_openai_examples(size: tuple[int, int], tokens: int) -> None:
    """765 and 1,105 are worked in OpenAI's vision guide (gpt-4o, high detail); one tile is 85 + 170."""
    assert image_tokens(*size, "openai") == tokens
    assert image_tokens(*reversed(size), "openai") == tokens


@pytest.mark.parametrize(
    ("size", "about"),
    [((200, 200), 54), ((1000, 1000), 1334), ((1092, 1092), 1590), ((951, 1268), 1608), ((784, 1568), 1640)],
)
def test_anthropic_examples(size: tuple[int, int], about: int) -> None:
    """The first three are in Anthropic's table of costs, the others in its table of sizes that are not shrunk."""
    assert image_tokens(*size, "anthropic") == about


@given(st.integers(1, 20_000), st.integers(1, 20_000))
def test_a_huge_image_is_shrunk_before_it_costs(width: int, height: int) -> None:
    assert 1 <= image_tokens(width, height, "anthropic") <= 1640
    assert 255 <= image_tokens(width, height, "openai") <= 85 + 170 * 8
    assert image_tokens(width, height, "google") % 258 == 0


def test_google_examples() -> None:
    """258 up to 384 pixels; 960 by 540 has crop unit 360 and thus 6 tiles (Gemini's documentation)."""
    assert image_tokens(384, 384, "google") == 258
    assert image_tokens(960, 540, "google") == 6 * 258


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_sizes_are_read_from_the_data(kind: str) -> None:
    assert image_size(picture(1024, 640, kind)) == (1024, 640)
    tokens, known = attachment_tokens(Attachment("image", data=picture(1024, 640, kind)), "anthropic")
    assert (tokens, known) == (math.ceil(1024 * 640 / 750), True)


@pytest.mark.parametrize(
    "data", [None, "", "not base64!", "bm90IGFuIGltYWdl", picture(9, 9)[:20], "é", "AAAA" * 1000]
)  # fmt: skip
def test_an_unknown_size_is_flagged(data: str | None) -> None:
    assert attachment_tokens(Attachment("image", reference="https://x/y.png", data=data), "openai") == (85, False)


def test_what_has_no_rule_is_flagged() -> None:
    assert attachment_tokens(Attachment("file", data=picture(9, 9)), "openai") == (0, False)
    assert attachment_tokens(Attachment("image", data=picture(1024, 1024)), "other") == (765, False)
