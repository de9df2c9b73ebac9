"""When facts are extracted: every so many turns, where words announce one, and at a conversation's end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mnemo_lab.errors import InvalidInput

_EN: Final = re.compile(
    r"\b(?:remember (?:this|that|to)?|keep in mind|don[’']t forget|note that|for (?:future )?reference|from now on"
    r"|going forward|in future|always|never|no longer|any ?more|let[’']s (?:use|go with|stick with|switch|move)"
    r"|i[’']m (?:a|an|the|now|allergic|based|from|moving|working)|i am (?:a|an|the|now)|my name is|call me"
    r"|i (?:prefer|live|work|moved|decided|switched|started|quit|stopped|changed|hate|love)"
    r"|(?:we|i)(?:[’']ve| have)? (?:decided|agreed|settled|chosen|picked|switched|moved|migrated|dropped|renamed)"
    r"|we[’']re (?:going with|using|switching|moving|dropping)|instead of|rather than|replac(?:e|ed|ing)"
    r"|switch(?:ed|ing)? to)\b",
    re.IGNORECASE,
)
_ZH: Final = re.compile(
    "记住|记一下|别忘|请注意|改成|改为|改用|改到|换成|换到|换用|重新选|重新定|以后都?|从现在起|从今以后|今后|一律|统一用|不再|不用了|我决定"
    "|我们决定|决定用|定了|敲定|就用|选定|采用|我是|我叫|我在|我住|我现在|我喜欢|我不喜欢|我讨厌|我习惯|我对.{1,8}过敏|我们用|我们现在"
)


@dataclass(frozen=True)
class Moments:
    """``every``: after so many turns since the last time (0: never by number); ``signals``: at words that announce a
    fact ("from now on", 改成); ``end``: when the conversation ends. What is never reached is never extracted."""

    every: int = 3
    signals: bool = True
    end: bool = True

    def __post_init__(self) -> None:
        if self.every < 0:
            raise InvalidInput(f"every={self.every}; use 0 (never) or a number of turns")
        if not (self.every or self.signals or self.end):
            raise InvalidInput(
                "every=0, signals=False, end=False: nothing would ever be extracted; leave one of them on"
            )

    def due(self, turns: int, text: str) -> bool:
        """Whether to extract now; ``turns`` of the user since the last time, ``text`` of the newest one."""
        return bool(self.every and turns >= self.every) or (self.signals and announces(text))


def announces(text: str) -> bool:
    """Whether a message has words that go with a fact worth remembering."""
    return _EN.search(text) is not None or (not text.isascii() and _ZH.search(text) is not None)
