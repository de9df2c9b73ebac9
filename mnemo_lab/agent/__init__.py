"""A chat that remembers: any language model, any strategy, sessions that survive a restart and never mix.

with ConversationAgent("hydrate", "openai:gpt-4o-mini", session="anna") as agent:
    print(agent.chat("Which port did we choose?"))
"""

from mnemo_lab.agent.agent import ConversationAgent
from mnemo_lab.agent.memory_client import MemoryClient
from mnemo_lab.agent.sessions import forget_session, list_sessions
from mnemo_lab.agent.turn import Turn

__all__ = ["ConversationAgent", "MemoryClient", "Turn", "forget_session", "list_sessions"]
