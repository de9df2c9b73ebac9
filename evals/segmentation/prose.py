"""What ``reports/segmentation.md`` says around its tables."""

from typing import Final

HEAD: Final = """# Where topics begin

Written by `python -m evals.segmentation`. Triggers cut conversations online: whether a turn opens a segment is
decided when it opens, or `delay` turns later, and stays. A boundary is the message that opens a segment.

- **Pk** (Beeferman et al. 1999) and **WindowDiff** (Pevzner & Hearst 2002): lower is better; the window is half the
  mean true segment of each conversation. **F1** of boundaries: exact, and with a tolerance, one to one. Means over
  recordings with 95 % intervals (t over recordings; none below six). Precision and recall are pooled. The last column
  has the same row on the development half.
- *even* and *random* are given the true number of boundaries, which no method can know; *none* finds none.
- Triggers see messages' vectors (all-MiniLM-L6-v2 for English, multilingual-e5-small for Chinese) of the bare text:
  what an index holds of a message may begin with its date, and a date would tell sessions apart.
- All settings were chosen on development halves (`python -m evals.segmentation.tune`,
  [segmentation_tuning.md](segmentation_tuning.md)); lexical TextTiling's are those with the best F1 ± tolerance there.
"""

ABOUT: Final = {
    "tiage": """Dialogues of two strangers, about 16 utterances each, every utterance a turn. A delay of 1 lets the
trigger see two utterances from the point on; that, and whether an utterance asks something (new topics are opened by
asking; an answer belongs to its question), is what finds them.
""",
    "qmsum": """Meetings of several people, labelled coarsely: a handful of segments of some hundred utterances. What is
said says little about them; who speaks, and that a new topic is opened at length, say more.
""",
    "locomo": """Sessions of two people's chats, to be found without their dates (`gap` alone sees the time). A turn is
what one of the two says until it is that one's turn again; where a session opens within a turn, no trigger is exact.
""",
    "bilingual": """Conversations with an assistant, English and Chinese. Where topics open was written down message by
message by a language model that read all users' messages, before any trigger was run on them
(`evals/segmentation/bilingual_topics.jsonl`). Topics are short here (two or three turns).
""",
}

LIMITS: Final = """
## What this does not show

- TIAGE's test part is not among the public data used here: its annotated development part is the test half.
- Labels are one opinion; on QMSum a boundary is where an annotator let a topic begin, good to a few utterances at
  best, and half of the meetings have three or fewer.
- A segment that reads well need not be one that retrieves well: `evals/hydration.toml` measures that.
"""
