"""Names to things, resolved lazily: built-ins from one table, third parties from entry points.

An entry is ``"module:attribute"``; nothing is imported until its name is asked for.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

from mnemo_lab.errors import InvalidInput, UnknownName

BUILT_IN: Final[dict[str, dict[str, str]]] = {
    "strategy": {
        "full": "mnemo_lab.truncation.full:Full",
        "recent": "mnemo_lab.truncation.recent:Recent",
        "random": "mnemo_lab.truncation.random:Random",
        "importance": "mnemo_lab.truncation.importance:Importance",
        "similarity": "mnemo_lab.truncation.similarity:Similarity",
        "budgeted": "mnemo_lab.truncation.budgeted:Budgeted",
        "head_tail": "mnemo_lab.truncation.head_tail:HeadTail",
        "tool_trim": "mnemo_lab.truncation.tool_trim:ToolTrim",
        "summary": "mnemo_lab.truncation.summary:RollingSummary",
        "summary_tree": "mnemo_lab.truncation.summary_tree:SummaryTree",
        "bm25": "mnemo_lab.retrieval.strategies.bm25:BM25",
        "dense": "mnemo_lab.retrieval.strategies.dense:Dense",
        "hybrid": "mnemo_lab.retrieval.strategies.hybrid:Hybrid",
        "checkpoint": "mnemo_lab.hydration.strategies.checkpoint:CheckpointRetrieval",
        "hydrate": "mnemo_lab.hydration.strategies.hydrate:Hydrate",
        "learned": "mnemo_lab.hydration.strategies.learned:Learned",
        "lists": "mnemo_lab.hydration.strategies.lists:Lists",
        "memory": "mnemo_lab.memory.strategy:Memory",
    },
    "corpus": {
        "bilingual": "mnemo_lab.corpora.bilingual:CORPUS",
        "locomo": "mnemo_lab.corpora.locomo:CORPUS",
        "locomo_audited": "mnemo_lab.corpora.locomo:AUDITED",
        "beam": "mnemo_lab.corpora.beam:CORPUS",
        "tiage": "mnemo_lab.corpora.tiage:CORPUS",
        "qmsum": "mnemo_lab.corpora.qmsum:CORPUS",
        "portable": "mnemo_lab.corpora.portable:CORPUS",
    },
    "format": {
        "portable": "mnemo_lab.formats.portable",
        "openai-chat": "mnemo_lab.formats.openai_chat",
        "openai-responses": "mnemo_lab.formats.openai_responses",
        "anthropic": "mnemo_lab.formats.anthropic",
        "gemini": "mnemo_lab.formats.gemini",
        "ollama": "mnemo_lab.formats.ollama",
        "chatgpt": "mnemo_lab.formats.chatgpt",
        "claude-ai": "mnemo_lab.formats.claude_ai",
        "claude-code": "mnemo_lab.formats.claude_code",
        "codex": "mnemo_lab.formats.codex",
        "deepseek": "mnemo_lab.formats.deepseek",
        "hf-messages": "mnemo_lab.formats.hf_messages",
        "sharegpt": "mnemo_lab.formats.sharegpt",
        "langchain": "mnemo_lab.formats.langchain",
        "tau-bench": "mnemo_lab.formats.tau_bench",
        "markdown": "mnemo_lab.formats.markdown",
        "html": "mnemo_lab.formats.html",
    },
    "target": {
        "openai-chat": "mnemo_lab.formats.targets.known.openai_chat:TARGET",
        "openai-responses": "mnemo_lab.formats.targets.known.openai_responses:TARGET",
        "anthropic": "mnemo_lab.formats.targets.known.anthropic:TARGET",
        "gemini": "mnemo_lab.formats.targets.known.gemini:TARGET",
        "ollama": "mnemo_lab.formats.targets.known.ollama:TARGET",
        "mistral": "mnemo_lab.formats.targets.known.mistral:TARGET",
        "bedrock": "mnemo_lab.formats.targets.known.bedrock:TARGET",
        "vllm": "mnemo_lab.formats.targets.known.vllm:TARGET",
        "hf-messages": "mnemo_lab.formats.targets.known.hf_messages:TARGET",
        "sharegpt": "mnemo_lab.formats.targets.known.sharegpt:TARGET",
        "langchain": "mnemo_lab.formats.targets.known.langchain:TARGET",
    },
    "trigger": {
        "every": "mnemo_lab.hydration.triggers.every:Every",
        "topic_shift": "mnemo_lab.hydration.triggers.topic_shift:TopicShift",
        "drift": "mnemo_lab.hydration.triggers.topic_shift:Drift",
        "cue": "mnemo_lab.hydration.triggers.cue:Cue",
        "floor": "mnemo_lab.hydration.triggers.floor:Floor",
        "gap": "mnemo_lab.hydration.triggers.gap:Gap",
        "mark": "mnemo_lab.hydration.triggers.mark:Mark",
        "intent": "mnemo_lab.hydration.triggers.intent:Intent",
        "model": "mnemo_lab.hydration.triggers.model:AskModel",
    },
    "describer": {
        "extractive": "mnemo_lab.describers.extractive:ExtractiveDescriber",
        "model": "mnemo_lab.describers.model:ModelDescriber",
    },
    "extractor": {
        "rules": "mnemo_lab.extraction.opening:open_rules",
        "model": "mnemo_lab.extraction.model:ModelExtractor",
    },
    "view": {
        "run": "mnemo_lab.reporting.tables:leaderboard_html",
        "turn_costs": "mnemo_lab.reporting.turn_costs:turn_costs_html",
        "answers": "mnemo_lab.reporting.answers:answers_html",
        "answers_table": "mnemo_lab.reporting.answers:answers_table",
    },
    "embedder": {
        "all-MiniLM-L6-v2": "mnemo_lab.embeddings.minilm:open_embedder",
        "multilingual-e5-small": "mnemo_lab.embeddings.e5:open_embedder",
        "hashing": "mnemo_lab.embeddings.hashing:open_embedder",
    },
    "language_model": {
        "openai": "mnemo_lab.language_models.openai_compatible:open_model",
        "anthropic": "mnemo_lab.language_models.anthropic:open_model",
        "local": "mnemo_lab.language_models.local:open_model",
        "extractive": "mnemo_lab.summaries.as_model:open_model",
    },
}
PRESETS: Final[dict[str, str]] = {
    "seed_truncator": "recent(keep_last_n=10)",
    "seed_hydration": "lists(trigger='every(n=5)', recent=3, similar=2, checkpoints=2, words=1)",
    "seed_memory": "memory(about=10, preferences=10, related=15, total=35, recent=10, overlap=0.6)",
    "rrf": "hybrid(keyword=1.0, context=0.0, dense=1.0, session=0.0, speaker=0.0, fusion='rrf')",
}
"""Settings under a name of their own; a leaderboard shows the name, the manifest what it stands for."""


@cache
def _entries(kind: str) -> dict[str, str]:
    """All names of a kind; a third party may add a name, never replace one."""
    found = {point.name: point.value for point in entry_points(group=f"mnemo_lab.{kind}")}
    return {**found, **BUILT_IN[kind]}


def names(kind: str) -> list[str]:
    return sorted(_entries(kind))


def resolve(kind: str, name: str) -> Any:
    """The thing behind a name; raises ``UnknownName`` with the known names."""
    entries = _entries(kind)
    if name not in entries:
        raise UnknownName(kind, name, [*entries, *(PRESETS if kind == "strategy" else ())])
    module, _, attribute = entries[name].partition(":")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise InvalidInput(f"{kind} {name!r}: module {module} cannot be imported: {error}") from error
    if not attribute:
        return found  # a format is a module
    if not hasattr(found, attribute):
        raise InvalidInput(f"{kind} {name!r}: module {module} has no {attribute!r}; mend its entry point")
    return getattr(found, attribute)
