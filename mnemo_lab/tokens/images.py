"""Tokens of images by the vendor's published rule; unknown where the size cannot be read."""

from __future__ import annotations

import base64
import binascii
import io
import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from mnemo_lab.conversation import Attachment, Message
from mnemo_lab.losses import Loss, loss
from mnemo_lab.tokens.models import Vendor

LOWEST: Final = 85
"""OpenAI's price of a low-detail image: the least an image costs, used (and flagged) where its size is unknown."""

MOST_ANTHROPIC: Final = 1640
"""784 by 1,568 pixels, the largest image that Anthropic lists as sent without being shrunk."""


class AttachmentTokens(NamedTuple):
    """``known`` is false where no rule applies or the size cannot be read."""

    tokens: int
    known: bool


def attachment_tokens(attachment: Attachment, vendor: Vendor) -> AttachmentTokens:
    """Tokens of an attachment. Files other than images have no rule: 0, not known."""
    if attachment.kind != "image":
        return AttachmentTokens(0, False)
    size = image_size(attachment.data)
    if size is None:
        return AttachmentTokens(LOWEST, False)
    return AttachmentTokens(image_tokens(*size, vendor), vendor != "other")


def uncounted(messages: Iterable[Message], vendor: Vendor) -> list[Loss]:
    """A loss for every attachment whose tokens no rule gives or whose size cannot be read."""
    return [
        loss("image_tokens_unknown", message_id=message.id, media_type=item.media_type or item.kind)
        for message in messages
        for item in message.attachments
        if not attachment_tokens(item, vendor).known
    ]


def image_tokens(width: int, height: int, vendor: Vendor) -> int:
    """Tokens of an image of ``width`` by ``height`` pixels.

    OpenAI (gpt-4o family, high detail): fit into 2,048 square, shortest side to at most 768, then 85 + 170 per
    512-pixel tile. Anthropic: width * height / 750 after fitting the long side into 1,568 and the area into what
    it calls about 1,600 tokens. Google (Gemini): 258, per crop unit where a side is over 384. Others have no rule
    of their own; OpenAI's stands in.
    """
    if vendor == "anthropic":
        scale = min(1.0, 1568 / max(width, height))
        return min(math.ceil(width * scale * height * scale / 750), MOST_ANTHROPIC)
    if vendor == "google":
        return 258 * _google_tiles(width, height)
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    return 85 + 170 * tiles


def _google_tiles(width: int, height: int) -> int:
    if max(width, height) <= 384:
        return 1
    unit = min(max(math.floor(min(width, height) / 1.5), 256), 768)
    return math.ceil(width / unit) * math.ceil(height / unit)


def image_size(data: str | None) -> tuple[int, int] | None:
    """Width and height in pixels of base64 image data, or ``None`` where it cannot be read."""
    if not data:
        return None
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(base64.b64decode(data, validate=False))) as image:
            return image.size
    except (UnidentifiedImageError, OSError, ValueError, binascii.Error, Image.DecompressionBombError):
        return None
