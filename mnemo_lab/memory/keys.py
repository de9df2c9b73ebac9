"""What counts as the same subject, attribute or sentence: one function for writing and for asking."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_GAP: Final = re.compile(r"(?:[^\w+#]|_|(?<![^\W_])(?<![^\W_]\+)[+#])+")
"""What parts words; C++ and C# are names of their own."""
_ARTICLE: Final = re.compile(r"^(?:the|a|an|my|our|your|his|her|their) ")


def normal(text: str) -> str:
    """Full-width forms, case, punctuation and runs of blanks made equal; empty only where there is no letter."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _GAP.sub(" ", plain).strip() or plain.strip()


_RULES: Final = re.compile(
    r"\b(?:rules?|conventions?|policies|guidelines?|instructions?|prohibitions?|restrictions?|masking|redaction)"
    r"(?: (?:for|of|in|on) .*)?$|(?:规则|规范|约定|守则|准则|规定|规矩|长期要求|禁忌|禁令|禁用词?|脱敏)$"
)
_OF_FORM: Final = re.compile(
    r"\b(?:nam(?:e|es|ing)|formats?|length|languages?|styles?|size|tone|indent\w*|branch\w*|commits?|fonts?|case|versions?)\b"
    r"|命名|名称|格式|长度|字数|语言|风格|语气|字体|缩进|大小写|分支|提交|版本"
)


def names_rules(attribute: str) -> bool:
    """Whether an attribute holds rules, which add up, and not one choice of form (a naming convention, 提交规范)."""
    plain = normal(attribute)
    return _RULES.search(plain) is not None and _OF_FORM.search(plain) is None


def content_key(content: str) -> str:
    """Equal for sentences that differ in case, punctuation or blanks only."""
    return normal(content)


def slot_key(subject: str, attribute: str) -> str:
    """Equal for "The Billing Service" and "billing service"."""
    return f"{_ARTICLE.sub('', normal(subject))}\x1f{_ARTICLE.sub('', normal(attribute))}"
