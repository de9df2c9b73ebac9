"""``cue``: phrases by which people announce that a topic begins or ends, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from mnemo_lab.hydration.triggers.base import Trigger, Turns

_BEGINS_EN: Final = (
    r"let'?s (?:switch|move on|turn|get back|go back|talk about|change (?:the )?(?:topic|subject))",
    r"(?:moving|switching) (?:on|gears|over)",
    r"change of (?:topic|subject)",
    r"(?:on|about) (?:a|an) (?:different|unrelated|other) (?:note|topic|matter|subject)",
    r"(?:new|next|another) (?:topic|question|task|thing|item)\s*[:,.]",
    r"(?:one|something) (?:else|different|more thing)\b",
    r"by the way",
    r"(?:back|returning) to (?:the|our|that|my)\b",
)
_BEGINS_ZH: Final = (
    r"切换(?:到|一?个?话题)",
    r"换一?个?(?:话题|主题|问题)",
    r"说(?:一下)?另外?一?件事",
    r"另外(?:一个|问一?下|说一?下)",
    r"接下来(?:我们|咱们)?(?:聊|说|看|讨论|谈)",
    r"回到(?:刚才|之前|前面|上次|我们)",
    r"(?:我们|咱们)(?:来)?(?:聊聊|谈谈|说说|看看)",
    r"顺便(?:问|说)",
    r"对了[,，]",
    r"下一个(?:话题|问题|任务)",
)
_ENDS_EN: Final = (
    r"to (?:summari[sz]e|sum up|recap|conclude)",
    r"in (?:summary|short|conclusion)\b",
    r"(?:i|we)(?:'ve| have)? (?:decided|settled|agreed)",
    r"(?:i|we)'ll go with",
    r"(?:let'?s|we will) (?:use|go with|stick with)",
    r"that(?:'s| is) (?:settled|decided|done|all)\b",
)
_ENDS_ZH: Final = (
    r"(?:总结|小结)一下",
    r"总的来说|综上",
    r"改成|改为",
    r"(?:我|我们|咱们)决定",
    r"就这么(?:定|办)|就定|定下来|敲定",
)


def _phrases(english: Sequence[str], chinese: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(english)})|{'|'.join(chinese)}", re.IGNORECASE)


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

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        if self.begins and BEGINS.search(turns[at].opening[:REACH].replace("’", "'")):
            return 1.0
        return 0.8 if self.ends and ENDS.search(turns[at - 1].opening[:REACH].replace("’", "'")) else None
