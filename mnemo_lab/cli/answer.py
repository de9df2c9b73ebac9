"""``mnemo answer``: a language model answers a finished run's questions from each strategy's contexts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "let a language model answer a run's questions from each strategy's contexts, and score it"
EXAMPLES = (
    "mnemo answer runs/bilingual --reader local:smollm2 --language en --strategies recent hybrid oracle",
    "mnemo answer runs/bilingual --reader openai:gpt-4o-mini --judge openai:gpt-4o --budgets 512 2048",
    "mnemo answer runs/bilingual --cassette answers.jsonl      # record what is asked, replay what was",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a finished run")
    parser.add_argument("--reader", metavar="M", help="the model that answers (default: local:smollm2)")
    parser.add_argument("--strategies", nargs="+", metavar="S", help="strategies of the run (default: all but full)")
    parser.add_argument("--budgets", nargs="+", type=int, metavar="TOKENS", help="budgets of the run (default: 1024)")
    parser.add_argument("--probes", type=int, metavar="N", help="at most so many questions (default: 60)")
    parser.add_argument("--language", choices=("en", "zh"), help="only recordings in this language")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="longest answer (default: 64)")
    parser.add_argument("--judge", metavar="M", help="a model that grades the answers")
    parser.add_argument("--cassette", metavar="FILE", help="recorded answers of the models")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no table")


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.api import answer_with, open_run, report
    from mnemo_lab.replay.answer_settings import AnswerSettings, make_settings

    given = {name: getattr(options, name) for name in AnswerSettings.model_fields}
    settings = make_settings({name: value for name, value in given.items() if value is not None})
    run = open_run(options.run)
    answers = answer_with(run, settings, progress=not options.quiet and sys.stderr.isatty())
    if not options.quiet:
        from mnemo_lab.reporting.answers import answer_tables, sentences
        from mnemo_lab.reporting.tables import to_text

        print("\n\n".join([*sentences(answers), *map(to_text, answer_tables(answers))]))
    print(f"report: {report(run, options.run)}")
    rows = answers.rows
    return 1 if len(rows) and rows["error"].null_count() == 0 else 0
