"""What the report says around its tables."""

from __future__ import annotations

from typing import Final

HEAD: Final = """# Summary quality without a judge

The first {dropped} of each test recording's messages are summarised in a share of their own tokens (o200k_base), and
what they say is looked for in the summary. What an identifier, a number, a name and a decision is stands in
`mnemo_lab/text` and knows nothing of any summariser; people are told by the form of their names, so that a Chinese
nickname, place or company is no name here. The summariser's weights, and these definitions, were settled on
development recordings (bilingual en-home and zh-webapp, LoCoMo 1 to 5, chats of EverMemOS and MemoryBank); the test
recordings were measured once, afterwards. Written by `python -m evals.summary_quality.measure`.
"""

TARGET: Final = """The aim: at least {aim} of identifiers and of numbers at {share} of the tokens.

{lines}

Where another writer keeps more than ours: {behind}.
"""

LEGEND: Final = """Cells: mean over recordings (lowest–highest recording) of the share of distinct facts that
survive. A number survives by value, an identifier or name as written, a decision where half of its words stand in
one sentence. *Answers*: gold answers of probes whose evidence lies in the summarised part, found after normalisation.
*TextRank*: the sentences that PageRank over tf-idf cosines puts first; *newest sentences*: the last ones. An
identifier or number on its own is counted like one in its sentence, so read these columns beside *answers*. Texts
of messages are summarised and counted; arguments of tool calls are neither.
"""

PER_TOKEN: Final = """## Facts per 100 tokens of summary

Mean over recordings of distinct facts that survive, per 100 tokens.
"""
