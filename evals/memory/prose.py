"""What ``reports/memory.md`` says around its tables."""

from __future__ import annotations

from typing import Final

HEAD: Final = """# Long-term memory, step by step

Written by `python -m evals.memory` from `evals/memory.toml`, on the {split} half of `datasets/memory_events`:
{scenarios}. Facts are found by rules, without a model. Scenarios and labels were written by a language model, one
author a language, before the rules; the rules were developed on the development half and on further scenarios of that
kind, and never saw the test half. Intervals (in brackets) are 95 % by bootstrap over scenarios. English is embedded
by MiniLM, Chinese by multilingual E5.
"""
TARGETS: Final = """## Targets

What was to be reached, on this half. *No* is no. That forgetting leaves no byte, that eight processes lose no write
and that a kill loses no acknowledged one, is held by the tests (`tests/memory`); speed over 100,000 memories by `make
bench` (group `memory`).
"""
EXTRACTION: Final = """## Extraction

A found fact is right where it was said in one of the gold fact's messages, with the same polarity, and a value that
shares at least half of its words with an accepted spelling (F1; Chinese: characters). Of preferences and facts about
people it must be told apart whether they are the user's; which other person or project is meant, and the attribute, are
not compared. *Junk*: found in messages that state nothing worth remembering. *Category*: of right ones.
"""
MOMENTS: Final = """## When to extract

F1 of what is in memory at the end: items and gold facts one to one, so that a fact kept twice is wrong once.
*Tokens*: messages handed to the extractor, with up to six before them; a model would read its instructions with every
call, too.
"""
MERGING: Final = """## Said again

*Gold facts*: the step alone. The labels are handed over as an extractor would, message by message, with the attribute
as labelled and the spelling that stands in the message; not with what only the label knows (what is replaced, what
ends later). A mere end is then handed over without what it ends, which the rules say where it is named. Where the
label lets several values of one slot stand at a time, the second feed marks them `additive`, as an extractor does by
words like "also": that uses the label's later ends, so that its wrong retirements are few by
construction. *Precision*: merges that joined statements of one gold fact. *Recall*: statements beyond the first that
were merged with it.
"""
RETIRING: Final = """## Changed

Items and gold facts one to one; an item that another saying of its own fact replaced is passed over (a missed merge,
above). A fact is over where something replaced it or its end has passed when the last question is asked. *Both
found*: of changes whose old and new fact are both in memory, those whose old one is over. *All*: all outdated items,
matched or not, and all changes, found or not.
"""
ANSWERS: Final = """## Answers

The place of the first memory whose value or sentence holds an accepted answer (in normal form, of the probed fact's
polarity). *Kept*: any memory holds it, at whatever place; the shares in the other columns are of all questions, and
in brackets of those kept. *Changed*: the fact asked for replaced another. *As of*: asked about a day on which the
former was true.
"""
LEAKS: Final = """## Other namespaces, and secrets

All {namespaces} scenarios ({items:,} items) in one SQLite file, each in a namespace of its own, vectors by E5. Every
question was asked in every other namespace, by words and by vector: {searches:,} searches, {foreign} memories of
another namespace came back.

{secrets} secrets were written in the chats. In the bytes of the store's files: {in_files}. In {blocks} injected
blocks: {in_blocks}. Put in their place: {kinds} (a secret counts each time it is met). Then the {whole} messages that
hold one were also kept whole, as by the worst of extractors: in files {whole_in_files}, in blocks {whole_in_blocks}.
"""
FADING: Final = """## Old facts

Each scenario's facts that are true at the end, as memories of importance 3 that were never used since, at an age
drawn from 0 to {days} days ({seeds} draws), among {crowd} memories of other things from the last {recent} days. Share
of questions whose fact is among the first {depth}, by its age in days; in brackets how many facts decay hid
(relevance alone would have shown them), each listed for its question.
"""
SIZES: Final = """## Among ever more memories

The facts asked for and generated memories of other subjects with other values, attributes taken from the scenarios.
One fact of a slot; the user's are not told apart from others by the questions. Vectors: the real embedder's for
{embedded} generated memories; every further one has the vector of one of these with a random part of length {noise}
added, brought to length 1. *ms*: median of a search on one thread with the question embedded, in a SQLite file.
"""
INJECTING: Final = """## What a block costs

Questions about now. *Answered*: a line of the block holds an accepted answer. *Useful*: lines that answer one of the
scenario's questions. *Crowd*: memories of other things beside the scenario's own.
"""
NO_READER: Final = (
    "Where the block stands was not compared with a reader in this run: `--reader` does (SmolLM2, English)."
)
PEERS: Final = """## Peers

mem0 (2.2.1) and LangMem (0.0.30) were not run. Both have a language model extract; the only one that runs here without
a network is SmolLM2 with 135 million parameters, and that was not tried.
"""
LIMITS: Final = """## What this does not say

- Scenarios are short, written, and of one author a language. Long chats hold more chatter by fact.
- Nobody else went over the labels. A fact the author did not think worth remembering counts as junk or as wrong.
- Forms of words differ: where an answer is said in other words than those accepted, it counts as not kept.
- A question is asked among the memories of its own scenario, two or three: the first five hold nearly all that was
  kept, so that "in the first five" says little more than "kept".
- "Among ever more memories" is ranked with decay on, over items of other importance and age.
- Distractors are generated; other facts of the same person would be harder to tell apart.
"""
