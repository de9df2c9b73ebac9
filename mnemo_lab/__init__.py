"""Mnemo Lab: which way of choosing conversation context keeps what matters, and what does it cost?

Five lines in a notebook::

    import mnemo_lab as ml
    data = ml.load("bilingual")
    run = ml.run(data, ["recent", "bm25(k=20)", "hybrid"], budgets=[512, 1024, 2048])
    ml.compare(run, baseline="recent")
    ml.widgets.ThresholdTuner(run)

Everything heavy is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mnemo_lab import probes, widgets
    from mnemo_lab.agent import ConversationAgent
    from mnemo_lab.agent.memory_client import MemoryClient
    from mnemo_lab.api import answer, compare, load, open_run, report, run
    from mnemo_lab.conversation import Conversation, Message
    from mnemo_lab.memory.long_term import LongTermMemory
    from mnemo_lab.recording import Probe, Recording
    from mnemo_lab.replay.turn_costs import turn_costs
    from mnemo_lab.strategy_text import parse_strategy

__version__ = "0.1.0"
_WHERE: Final = {
    "answer": "mnemo_lab.api",
    "load": "mnemo_lab.api",
    "run": "mnemo_lab.api",
    "compare": "mnemo_lab.api",
    "report": "mnemo_lab.api",
    "open_run": "mnemo_lab.api",
    "parse_strategy": "mnemo_lab.strategy_text",
    "turn_costs": "mnemo_lab.replay.turn_costs",
    "Conversation": "mnemo_lab.conversation",
    "ConversationAgent": "mnemo_lab.agent",
    "LongTermMemory": "mnemo_lab.memory.long_term",
    "MemoryClient": "mnemo_lab.agent.memory_client",
    "Message": "mnemo_lab.conversation",
    "Recording": "mnemo_lab.recording",
    "Probe": "mnemo_lab.recording",
}
__all__ = [
    "Conversation",
    "ConversationAgent",
    "LongTermMemory",
    "MemoryClient",
    "Message",
    "Probe",
    "Recording",
    "answer",
    "compare",
    "load",
    "open_run",
    "parse_strategy",
    "probes",
    "report",
    "run",
    "turn_costs",
    "widgets",
]


def __getattr__(name: str) -> Any:
    if name in ("probes", "widgets"):
        return import_module(f"mnemo_lab.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'mnemo_lab' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
