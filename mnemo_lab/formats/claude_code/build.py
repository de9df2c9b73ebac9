"""The messages of one chain, with their parents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.claude_code.entry import NAME, SYNTHETIC, Entry
from mnemo_lab.formats.claude_code.results import chain_results
from mnemo_lab.formats.claude_code.session import Chain, Session
from mnemo_lab.formats.histories.blocks import BlockReader, Place
from mnemo_lab.formats.histories.drafts import Draft
from mnemo_lab.formats.histories.linking import assemble, latest_leaf, resolve
from mnemo_lab.formats.tree import ACTIVE_LEAF


def conversation_of(session: Session, chain: Chain, stem: str) -> Conversation:
    """``stem`` names the session where no record does."""
    reader = BlockReader(NAME, chain.ledger)
    for entry in chain.entries:
        entry.drafts = _drafts(entry, reader, chain)
        entry.blocks = None  # the memory of a large session once, not twice
    parents = resolve(chain.entries, chain.ledger, chain.aliases)
    nodes = chain_results(chain.entries, parents)
    messages = assemble(nodes, parents, NAME)
    extensions: dict[str, Any] = {}
    leaf = latest_leaf(nodes, parents)
    if leaf.paths > 1:
        chain.ledger.add("leaf_guessed", message_id=leaf.id)
        extensions[ACTIVE_LEAF] = leaf.id
    if not messages:
        chain.ledger.add("empty_conversation")
    about = _about(session, chain)
    if about:
        extensions[NAME] = about
    session_id = session.about.get("sessionId") or stem
    return Conversation(
        messages=messages,
        id=f"{session_id}#{chain.agent}" if chain.agent else session_id,
        title=None if chain.agent else session.title(),
        model=next((e.model for e in reversed(chain.entries) if e.model and e.model != SYNTHETIC), None),
        extensions=extensions,
    )


def _drafts(entry: Entry, reader: BlockReader, chain: Chain) -> Sequence[Draft]:
    if entry.role is None:
        return ()
    place = Place(entry.id, f"{entry.pointer}/message/content", entry.timestamp, entry.model)
    drafts = reader.read(entry.role, entry.blocks, place, entry.pointers or ())
    drafts = [draft for draft in drafts if not draft.is_empty]
    if not drafts:
        chain.ledger.add("empty_message", message_id=entry.id, pointer=entry.pointer)
        return ()
    drafts[0].kept |= entry.kept
    for draft in drafts:
        draft.hidden = entry.hidden
    if entry.hidden:
        chain.ledger.count("hidden_message", message_id=entry.id, pointer=entry.pointer)
    return drafts


def _about(session: Session, chain: Chain) -> dict[str, Any]:
    about = {key: value for key, value in session.about.items() if key != "sessionId"}
    if chain.agent:
        return about | {"sidechain": True, "agent": chain.agent}
    return about | ({"compactions": session.compactions} if session.compactions else {})
