"""What a reader made of the contexts: scores, refusals and cost per correct answer, as frame, tables and section."""

from __future__ import annotations

from html import escape
from math import nan
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.answering.abstention import TwinPair, balanced_accuracy, hallucination_rate, per_correct
from mnemo_lab.answering.answers import Answers
from mnemo_lab.answering.reader import PROMPT_VERSION
from mnemo_lab.answering.stage import stages
from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.document import Block, Lines, Section, Text
from mnemo_lab.reporting.selection import is_reference
from mnemo_lab.reporting.tables import Cell, Row, Table, boxed

if TYPE_CHECKING:
    import polars as pl

SCORES: Final = {"exact_match": "exact", "token_f1": "F1", "contains_answer": "contains", "judge": "judge"}
SCORING: Final = (
    "Answerable questions. exact: the same words after normalisation; F1: words in common; contains: the gold answer "
    "stands in the reader's; judge: a language model says that they mean the same. Best over the gold answer and its "
    "aliases; numbers and dates are brought to one form. Italic: reference rows, not strategies to choose."
)
REFUSING: Final = (
    "correct: contains the gold answer, or refuses what the recording does not say. refusals right: balanced accuracy "
    "of refusing unanswerable questions and answering their answerable twins (0.5: no better than always or never "
    "refusing). hallucinated: unanswerable questions that were answered. Per correct answer: everything spent, on "
    "wrong answers too: the strategy's own models to write (shared among the recording's questions) and read, and the "
    "reader's prompt and answer."
)


def answers_table(answers: Answers) -> pl.DataFrame:
    """One row per strategy and budget, in the order of the run.

    ``n`` answerable questions with a score; each score with ``_lo`` and ``_hi`` (95 % over recordings, null below
    six); ``correct`` over all questions that were answered; ``refusals_right`` over ``twin_pairs``; ``hallucinated``
    over ``unanswerable``; tokens and dollars per answer and per correct answer; ``cut``: contexts too long for the
    reader; ``failed``: questions without an answer. Null where undefined.
    """
    import polars as pl

    found = []
    for budget in answers.stage.budgets:
        for label in answers.stage.labels:
            mine = answers.rows.filter((pl.col("strategy") == label) & (pl.col("budget_tokens") == budget))
            if mine.height:
                found.append({"strategy": label, "budget_tokens": budget, **_line(mine)})
    frame = pl.DataFrame(found, infer_schema_length=None)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None)) if found else frame


def _line(rows: pl.DataFrame) -> dict[str, Any]:
    import polars as pl

    told = rows.filter(pl.col("error").is_null())
    scored = told.filter(pl.col("answerable"))
    line: dict[str, Any] = {"n": scored.height, "recordings": scored["recording"].n_unique()}
    for name in SCORES:
        line |= _with_interval(name, scored)
    line |= _with_interval("correct", told)
    return {**line, **_refusals(told), **_costs(told), "cut": told["cut"].sum(), "failed": rows.height - told.height}


def _with_interval(name: str, rows: pl.DataFrame) -> dict[str, float]:
    from mnemo_lab.statistics import mean_interval

    known = rows.drop_nulls(name)
    found = mean_interval(known[name].to_list(), known["recording"].to_list(), bounds=(0.0, 1.0))
    return {name: found.point, f"{name}_lo": found.lo, f"{name}_hi": found.hi}


def _refusals(rows: pl.DataFrame) -> dict[str, Any]:
    refused = {(r["recording"], r["probe"]): r["abstained"] for r in rows.iter_rows(named=True)}
    asked = [r for r in rows.iter_rows(named=True) if not r["answerable"]]
    pairs = [
        TwinPair(r["abstained"], refused[r["recording"], r["twin"]])
        for r in asked
        if (r["recording"], r["twin"]) in refused
    ]
    return {
        "refusals_right": balanced_accuracy(pairs),
        "twin_pairs": len(pairs),
        "hallucinated": hallucination_rate(r["abstained"] for r in asked),
        "unanswerable": len(asked),
    }


def _costs(rows: pl.DataFrame) -> dict[str, float]:
    correct = float(rows["correct"].sum())
    found = {}
    for unit, parts in (
        ("tokens", ("write_tokens", "read_tokens", "input_tokens", "output_tokens")),
        ("dollars", ("write_dollars", "read_dollars", "answer_dollars")),
    ):
        known = all(rows[part].null_count() == 0 for part in parts)
        total = float(sum(rows[part].sum() for part in parts)) if known else nan
        found[f"{unit}_per_answer"] = total / rows.height if rows.height else nan
        found[f"{unit}_per_correct"] = per_correct(total, correct)
    return found


def answer_tables(answers: Answers) -> list[Table]:
    """Per budget: scores, then refusals and costs."""
    frame = answers_table(answers)
    tables = []
    for budget in answers.stage.budgets:
        lines = [line for line in frame.iter_rows(named=True) if line["budget_tokens"] == budget]
        if lines:
            tables += [_scores_table(lines, budget, answers.stage.judge is not None), _refusal_table(lines, budget)]
    return tables


def _scores_table(lines: list[dict[str, Any]], budget: int, judged: bool) -> Table:
    names = [name for name in SCORES if judged or name != "judge"]
    best = {name: _best(lines, name, max) for name in names}
    rows = [
        Row.of(
            line["strategy"],
            f"{line['n']:,}",
            *(_cell(line, name, best[name]) for name in names),
            reference=is_reference(line["strategy"]),
        )
        for line in lines
    ]
    note = SCORING
    if all(line["contains_answer_lo"] is None for line in lines):
        note += " Fewer than six recordings: no intervals; the numbers are conditional on these recordings."
    return Table(
        ("strategy", "n", *(SCORES[name] for name in names)), tuple(rows), f"Answers at {budget:,} tokens", note
    )


def _cell(line: dict[str, Any], name: str, best: float | None) -> Cell:
    value = line[name]  # nothing is the best of a column where nobody gets a point
    top = bool(best) and value is not None and value >= best and not is_reference(line["strategy"])
    return Cell(say.share(line[name]), say.interval(line[f"{name}_lo"], line[f"{name}_hi"]), top)


def _best(lines: list[dict[str, Any]], name: str, choose: Any) -> float | None:
    values = [line[name] for line in lines if line[name] is not None and not is_reference(line["strategy"])]
    found: float | None = choose(values, default=None)
    return found


def _refusal_table(lines: list[dict[str, Any]], budget: int) -> Table:
    cheapest = _best(lines, "tokens_per_correct", min)
    columns = (
        "strategy", "correct", "refusals right", "hallucinated", "tokens per answer", "tokens per correct",
        "$ per answer", "$ per correct",
    )  # fmt: skip
    rows = []
    for line in lines:
        reference = is_reference(line["strategy"])
        tokens = Cell(
            say.tokens(line["tokens_per_correct"]), best=line["tokens_per_correct"] == cheapest and not reference
        )
        rows.append(
            Row.of(
                line["strategy"],
                Cell(say.share(line["correct"]), say.interval(line["correct_lo"], line["correct_hi"])),
                Cell(say.share(line["refusals_right"]), say.count(line["twin_pairs"], "pair")),
                Cell(say.share(line["hallucinated"]), f"of {line['unanswerable']}"),
                say.tokens(line["tokens_per_answer"]),
                tokens,
                say.dollars(line["dollars_per_answer"]),
                say.dollars(line["dollars_per_correct"]),
                reference=reference,
            )
        )
    return Table(columns, tuple(rows), f"Refusals, and what a correct answer costs, at {budget:,} tokens", REFUSING)


def sentences(answers: Answers) -> list[str]:
    """Who read what, how the judge does, and what went wrong."""
    stage, rows = answers.stage, answers.rows
    known = sum(picked.probe.answerable for picked in stage.sample)
    recordings = len({picked.recording for picked in stage.sample})
    found = [
        f"Reader {stage.settings.reader}: {say.count(len(stage.sample), 'question')} of "
        f"{say.count(recordings, 'recording')}, {known} answerable and {len(stage.sample) - known} not, balanced over "
        f"categories and recordings and the same for every strategy; answers of at most {stage.settings.max_tokens} "
        f"tokens, version {PROMPT_VERSION} of the instruction."
    ]
    if answers.judge_check is not None:
        found.append(_on_the_judge(answers))
    cut = int(rows["cut"].sum() or 0)
    if cut:
        found.append(f"{say.count(cut, 'context')} did not fit the reader's window; the oldest part was left out.")
    return found + _faults(rows, len(stage.sample) * len(stage.labels) * len(stage.budgets))


def _on_the_judge(answers: Answers) -> str:
    check = answers.judge_check
    assert check is not None
    text = (
        f"Judge {answers.stage.settings.judge}: it called {check.wrong_passed} of {check.wrong} planted wrong answers "
        f"correct (false positives {say.share(check.false_positive_rate)}) and {check.right_failed} of {check.right} "
        f"planted right ones wrong (false negatives {say.share(check.false_negative_rate)})"
    )
    if not check.tells_them_apart:
        text += ", which is no better than tossing a coin: do not use its score"
    unread = int((answers.rows["verdict"] == "unreadable").sum() or 0)
    if check.unreadable or unread:
        text += f". Verdicts that cannot be read: {check.unreadable} on planted answers, {unread} on the reader's"
    return text + "."


def _faults(rows: pl.DataFrame, wanted: int) -> list[str]:
    import polars as pl

    failed = rows.filter(pl.col("error").is_not_null())
    found = [
        f"{strategy}: {say.count(count, 'question')} without an answer: {say.shorten(error, 200)}"
        for strategy, error, count in failed.group_by(["strategy", "error"], maintain_order=True).len().iter_rows()
    ]
    if rows.height < wanted:
        found.append(f"{wanted - rows.height:,} of {wanted:,} answers are still to come.")
    return found


def answers_html(answers: Answers) -> str:
    """Answers in a notebook."""
    head = "".join(f"<p>{escape(line)}</p>" for line in sentences(answers))
    return boxed(answer_tables(answers), head)


def answer_blocks(answers: Answers) -> list[Block]:
    """The blocks of one reader in a report; answers of a grid that has changed since are named and left out."""
    try:
        answers.stage.check()
    except InvalidInput as error:
        return [Text(f"What {answers.stage.settings.reader} answered is not shown: {error}")]
    first, *more = sentences(answers)
    notes: list[Block] = [Lines(tuple(more))] if more else []
    return [Text(first), *notes, *answer_tables(answers)]


def answers_sections(run: Run) -> list[Section]:
    """The section on answers, where a reader has answered questions of this run; else none."""
    blocks = [block for stage in stages(run) for block in answer_blocks(Answers(stage))]
    return [Section("answers", "What a reader answers", tuple(blocks))] if blocks else []
