"""What may not be kept, or not be shown: secrets, and memories that read like orders to the model."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from typing import Final

from mnemo_lab.extraction.base import Fact
from mnemo_lab.privacy.finding import PLACEHOLDER, SECRETS

QUARANTINED: Final = "quarantined"
_ORDER: Final = re.compile(
    r"(?<!not )(?<!n't )(?<!n’t )(?<!never )\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?"
    r"|rules?|prompts?|guidelines?|guardrails?|polic(?:y|ies)|restrictions?|everything (?:above|before|said))\b"
    r"|\b(?:system|developer) (?:prompt|message|instructions?)\b|\bjailbreak|\bDAN mode\b|\byou are (?:now )?(?:in )?"
    r"(?:developer|god|unrestricted|root) mode|\bact as (?:an? )?(?:unrestricted|unfiltered)"
    r"|\b(?:reveal|print|repeat|leak|exfiltrate|send)\b.{0,40}\b(?:system prompt|your (?:prompt|instructions|rules)"
    r"|all (?:memories|the conversation))\b"
    r"|(?:^|[.!?;:,\n]\s*|\b(?:and|then|now|please|always|you (?:must|should|will|are to))\s+)"
    r"(?:reveal|print|repeat|leak|exfiltrate|send)\b.{0,40}\b(?:passwords?|secrets?|credentials?|api keys?)\b"
    r"|</?(?:system|assistant|instructions?|memory|tool)\b[^>]*>|\[/?INST\]|<\|im_(?:start|end)\|>"
    r"|(?<![别勿])(?<!不要|不能|不得|不可|不许|禁止|严禁)(?:忽略|无视|忘掉|忘记|绕过|跳过).{0,12}"
    r"(?:指令|指示|规则|提示词?|限制|要求|设定|安全)|系统提示词?|系统指令|越狱"
    r"|(?<![不勿别])(?<!不要|不准|不能|不得|不可|不许|不会|禁止|严禁|避免|防止|不再)"
    r"(?:泄露|输出|打印|告诉我|发送).{0,10}(?:系统提示|提示词|密码|密钥|口令|全部记忆)|开发者模式",
    re.IGNORECASE,
)


class SecretFilter:
    """Takes secrets out of texts and counts them; what stands in their place names their kind."""

    def __init__(self) -> None:
        from mnemo_lab.privacy import Redactor

        self._redactor = Redactor(SECRETS, names=False)
        self.found: Counter[str] = Counter()
        """Secrets replaced so far, by kind."""

    def clean(self, text: str) -> str:
        """The text with ``[API_KEY_1]`` and the like for secrets."""
        done = self._redactor.redact(text)
        self.found.update(done.counts)
        return done.text


def is_only_placeholder(value: str) -> bool:
    """Whether nothing of a value is left once its secrets are out: there is nothing to remember then."""
    return bool(PLACEHOLDER.search(value)) and not re.search(r"[^\W_]", PLACEHOLDER.sub("", value))


def without_secrets(fact: Fact, secrets: SecretFilter) -> Fact | None:
    """The fact with placeholders; ``None`` where its value is a secret."""
    value = secrets.clean(fact.value)
    content = secrets.clean(fact.content)
    told = f"{fact.attribute} is {value}\n{fact.attribute}: {value}"  # a password is one by what it is called
    gone = value == fact.value and value in fact.content and value not in content
    if is_only_placeholder(value) or gone or secrets.clean(told) != told:
        return None
    former = secrets.clean(fact.former) if fact.former else None
    subject, attribute = secrets.clean(fact.subject), secrets.clean(fact.attribute)
    return replace(fact, subject=subject, attribute=attribute, value=value, content=content, former=former)


def orders_the_model(text: str) -> bool:
    """Whether a memory reads like an instruction to the model that is to read it, in place of a fact."""
    return _ORDER.search(unicodedata.normalize("NFKC", text)) is not None
