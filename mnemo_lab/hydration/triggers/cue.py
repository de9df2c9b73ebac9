"""``cue``: phrases by which people announce that a topic begins or ends, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.text.language import CJK

_CLAUSE: Final = r"(?:^|(?<=[.!?,;:\n])\s*|\b(?:ok(?:ay)?|so|now|right|well|anyway|alright|and|but|just)[,\s]\s*)"
"""Where a clause begins: "back to the budget" announces, "I went back to the shop" does not."""
_BEGINS_EN: Final = (
    r"\blet'?s (?:switch|move on|(?:get|go) back to|turn to|talk about|change (?:the )?(?:topic|subject))\b",
    r"\b(?:moving|switching) (?:on to|over to|gears|topics?|subjects?)\b",
    _CLAUSE + r"moving on\s*[,.:;]",
    r"\b(?:mov(?:e|ing)|go(?:ing)?) on (?:now )?(?:then )?(?:now )?to\b",
    r"\bnow (?:go|move|turn) (?:on )?to\b",
    _CLAUSE + r"(?:the )?next (?:up|we|is|comes|on the agenda|questions?|item|point|speaker|thing)\b",
    r"\b(?:change of|changing(?: the)?|switch(?:ing)?(?: the)?) (?:topic|subject)\b",
    r"\bon (?:an?|another) (?:(?:completely |totally )?(?:different|unrelated|separate) )?(?:note|topic|subject)\b",
    r"\b(?:completely|totally|entirely) (?:off[- ]topic|unrelated|different (?:topic|subject|question|thing))\b",
    _CLAUSE + r"(?:(?:the|a) )?(?:new|next|another|different) (?:topic|question|task|thing|item|subject)\s*[:,.;-]",
    _CLAUSE + r"(?:one (?:more|last|other) thing|something (?:else|different))\s*[:,.;-]",
    r"\b(?:by the way|btw)\b",
    _CLAUSE + r"(?:back|returning) to (?:the|our|that|my|what)\b",
)
_BEGINS_ZH: Final = (
    r"切换(?:到|一?个?话题)",
    r"换一?个?(?:话题|主题|问题)",
    r"(?:另外|还有)(?:一件事|一个(?:事|问题)|问(?:一下|个|你)|说(?:一下|个))",
    r"接下来(?:我们|咱们)?(?:聊|说|看|讨论|谈)",
    r"回到(?:刚才|之前|前面|上次)",
    r"(?:我们|咱们)来?(?:聊聊|谈谈|说说)",
    r"顺便(?:问|说)",
    rf"(?<![{CJK}])对了[,，]?\s*[^\s！!。.，,]",
    r"(?:下一个|新的?)(?:话题|问题|任务)",
)
_ENDS_EN: Final = (
    _CLAUSE + r"(?:to (?:summari[sz]e|sum up|recap|conclude)\b|in (?:summary|short|conclusion)\s*[,:])",
    r"(?<!have )\b(?:i|we)(?:'ve| have)? (?:decided|agreed|settled on)\b",
    r"\b(?:i|we)(?:'ll| will) (?:go|stick) with\b",
    r"\blet'?s (?:use|go with|stick with)\b",
    r"\bthat(?:'s| is) (?:settled|decided|sorted|(?:all|it) for (?:now|today|tonight))\b",
)
_ENDS_ZH: Final = (
    r"(?:总结|小结|归纳)一下",
    r"总的来说|综上",
    r"改成|改为",
    r"(?<![帮让替由等给])(?:我们|咱们|我)决定(?!不了|不下|权)",
    r"就这么(?:定|办)|定下来|敲定",
)


def _phrases(*kinds: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(phrase for kind in kinds for phrase in kind), re.IGNORECASE)


BEGINS: Final = _phrases(_BEGINS_EN, _BEGINS_ZH)
ENDS: Final = _phrases(_ENDS_EN, _ENDS_ZH)
REACH: Final = 200
"""Characters of an opening in which a phrase announces a topic; further in it belongs to what is said."""


@dataclass(frozen=True)
class Cue(Trigger):
    """``begins``: the turn's opening announces another topic. ``ends``: the turn before summed up or decided."""

    name: ClassVar[str] = "cue"
    begins: bool = True
    ends: bool = True

    def __post_init__(self) -> None:
        if not (self.begins or self.ends):
            raise InvalidInput("cue(begins=False, ends=False) never fires; leave one of them on")

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        if self.begins and says(BEGINS, turns[at].opening):
            return 1.0
        return 0.8 if self.ends and says(ENDS, turns[at - 1].opening) else None


def says(phrases: re.Pattern[str], text: str) -> bool:
    """Whether one of the phrases stands in the first ``REACH`` characters."""
    return phrases.search(text[:REACH].replace("’", "'")) is not None
