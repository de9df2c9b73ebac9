"""Long-term memory: facts that outlive a conversation, by subject and not by session.

    with open_store("memory.db", services.embedder) as store:
        memory = LongTermMemory(store, "anna", services)
        memory.take(conversation)
        memory.recall(Query("which database do we use?", "2026-05-01"))

Facts are extracted (``mnemo_lab.extraction``), freed of secrets, merged with what is known or retire it, and are
injected in layers.
"""
