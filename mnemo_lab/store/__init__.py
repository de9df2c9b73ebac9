"""Conversations and checkpoints that outlive the process: SQLite is the truth, FAISS stands beside it.

with ConversationStore("~/.mnemo", services.embedder) as store:
    store.append("anna", conversation.info, conversation.messages)
    store.index("anna")
    store.search("anna", "which port?", k=5)
    store.search("anna", "which port?", k=5, kind="checkpoint", by="keyword")
"""

from mnemo_lab.storage.database import StoreBusy
from mnemo_lab.store.store import ConversationStore, Found, Receipt, rebuild_index

__all__ = ["ConversationStore", "Found", "Receipt", "StoreBusy", "rebuild_index"]
