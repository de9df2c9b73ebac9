"""What ``reports/hydration.md`` says around its tables."""

from __future__ import annotations

from typing import Final

HEAD: Final = """# Hydration, part by part

Written by `python -m evals.hydration` from `evals/hydration.toml` (about ten minutes of one busy core with vectors
cached): {recordings} {split} recordings ({data}), answerable questions, o200k tokens of the rendered
transcript, no language model. Weights and triggers were chosen on development recordings (LoCoMo 1 to 5, BEAM 1 to 5,
bilingual en-home and zh-webapp); nothing was chosen on test recordings.

Evidence is the share of gold messages that stand whole in the context, answers the share of questions whose answer's
words do: a summary can hold an answer and never holds a message. Means are means of recordings, each counting the same.
A difference is paired question by question, with its 95 % interval over recordings (t; none below six) and the p of a
sign-flip permutation, by Holm over the table's rows.
"""
PARTS: Final = """## What each part is worth

{difference} Negative: with the change less is kept.
*Searched*: messages and checkpoints scored for a question, by message there was. An excerpt is no whole message: of
`excerpt` only the answers tell.
"""
CURVE: Final = """## How often, and by what

Each trigger with `checkpoint` (the closest checkpoints first, their messages by all signals) and `hydrate` (checkpoints
as two signals of many). *Embedded*: tokens that the write path embeds per 100 messages, by the ledger (the messages;
a checkpoint's vector is the mean of theirs). *ms*: processor time of the extractive describer by message. *A model
reads*: tokens that a language model would read to describe the same checkpoints, per 100 messages: all messages once,
and its instructions with each checkpoint.
"""
EVEN: Final = """## Does it matter where a cut falls?

Triggers that look at what is said, against cutting every N turns into as many checkpoints: between the two nearest N
of the curve by the logarithm of their number, question by question. No row where a trigger cuts more or less often than
every N does in all data sets. Boundaries themselves are measured in [segmentation.md](segmentation.md).
"""
GROUPS: Final = """## For which questions

Differences in evidence by data set and language, and by how many messages hold the answer. No interval below six
recordings: there, the p of the sign-flip permutation.
"""
LIMITS: Final = """## What this does not say

- Recordings are short (bilingual: some 140 messages) to middling (LoCoMo: some 620). Where searching every message is
  too slow, checkpoints may save search work; that is measured with conversations stretched to 5,000 messages
  (`python -m evals.stretched`).
- The extractive describer is the only one here. A model may describe better and costs what the column says, and output.
- {intervals}
- Most questions are asked at the end. A checkpoint that is cut late is there by then.
"""
