"""``mnemo chat``: talk to a language model with a memory, and see what it was sent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import category

from mnemo_lab.cli.options import add_language

if TYPE_CHECKING:
    from mnemo_lab.agent.agent import ConversationAgent

HELP = "chat with a language model that remembers, and see what it was sent"
EXAMPLES = (
    "mnemo chat --model openai:gpt-4o-mini --session anna",
    "mnemo chat --model extractive --strategy 'hydrate' --max-tokens 1024     # no model: passages of what was said",
    "echo '预算是多少？' | mnemo chat --session launch                          # one question, from a script",
)
PATIENCE: Final = 1.0
"""Seconds that a report waits for the turn to be indexed, before it says that it is not."""
_WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "hello": "session {session}: {turns} turns, {strategy}, {model}; /help lists the commands, /quit ends",
        "you": "you> ",
        "help": "/context      what was sent for the last answer\n"
        "/report       its tokens, cost and time, and the session's so far\n"
        "/checkpoints  what was cut out of the conversation as units of memory\n"
        "/sessions     the sessions of this store\n"
        "/new          another conversation of this session; the memory stays\n"
        "/forget NAME  delete a session for good\n"
        "/quit         end (so does the end of the input)",
        "unknown": "unknown command {command}; /help lists them",
        "none_yet": "nothing was sent yet",
        "no_checkpoints": "none yet (strategies that cut them: hydrate, checkpoint)",
        "sent": "sent {total:,} of {budget:,} tokens: system {system:,}, history {history:,}, recent {recent:,}, "
        "question {question:,}",
        "shown": "history shows {shown}; of checkpoints {checkpoints}; recent {recent}",
        "missing": "{missing} turns were not indexed yet",
        "usage": "turn {turn}: {input_tokens:,} tokens read ({cached_tokens:,} cached), "
        "{output_tokens:,} written, {cost}",
        "unpriced": "price unknown",
        "seconds": "seconds: {stages}",
        "indexing": "indexed in {seconds:.3f} s: {tokens}; checkpoints closed: {made}",
        "pending": "being indexed",
        "failed": "not indexed ({error}); tried again before the next answer",
        "totals": "{path} {model} {task}: {calls:,} calls, {input_tokens:,} read, {output_tokens:,} written",
        "new": "a new conversation; what was said before is remembered",
        "which": "say which: /forget {session}; it is deleted for good",
        "forgotten": "forgotten: {messages:,} messages, {checkpoints:,} checkpoints",
        "stopped": "stopped; this turn is not kept",
        "complete": "stopped; the answer was complete and is kept",
        "none": "none",
    },
    "zh": {
        "hello": "会话 {session}：已有 {turns} 轮，{strategy}，{model}；/help 列出命令，/quit 结束",
        "you": "你> ",
        "help": "/context      上一个回答发送了什么\n"
        "/report       它的词元、费用和时间，以及本会话的累计\n"
        "/checkpoints  从对话中切出的记忆单元\n"
        "/sessions     本存储中的会话\n"
        "/new          在本会话中开始新的对话，记忆保留\n"
        "/forget 名称  彻底删除一个会话\n"
        "/quit         结束（输入结束时也会结束）",
        "unknown": "未知命令 {command}；/help 列出全部命令",
        "none_yet": "还没有发送过内容",
        "no_checkpoints": "还没有（会切出检查点的策略：hydrate、checkpoint）",
        "sent": "发送 {total:,} / {budget:,} 词元：系统 {system:,}，历史 {history:,}，"
        "最近 {recent:,}，问题 {question:,}",
        "shown": "历史包含 {shown}；所属检查点 {checkpoints}；最近 {recent}",
        "missing": "有 {missing} 轮尚未索引",
        "usage": "第 {turn} 轮：读 {input_tokens:,} 词元（缓存 {cached_tokens:,}），写 {output_tokens:,}，{cost}",
        "unpriced": "价格未知",
        "seconds": "秒：{stages}",
        "indexing": "索引用时 {seconds:.3f} 秒：{tokens}；新检查点：{made}",
        "pending": "正在索引",
        "failed": "未能索引（{error}）；下一次回答之前会再试",
        "totals": "{path} {model} {task}：{calls:,} 次，读 {input_tokens:,}，写 {output_tokens:,}",
        "new": "新的对话；之前说过的仍然记得",
        "which": "请写明：/forget {session}；将被彻底删除",
        "forgotten": "已删除：{messages:,} 条消息，{checkpoints:,} 个检查点",
        "stopped": "已停止；这一轮不保留",
        "complete": "已停止；回答已完整，予以保留",
        "none": "无",
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="M", help="openai:MODEL, anthropic:MODEL, local:… (default: MNEMO_LLM)")
    parser.add_argument("--strategy", metavar="S", default="hydrate", help="how history is chosen (default: hydrate)")
    parser.add_argument("--max-tokens", type=int, metavar="N", default=4096, help="of all that is sent (default: 4096)")
    parser.add_argument("--answer-tokens", type=int, metavar="N", default=1024, help="longest answer (default: 1024)")
    parser.add_argument("--session", metavar="NAME", default="default", help="which memory; each has its own")
    parser.add_argument("--store", type=Path, metavar="DIR", help="where sessions are kept (default: user data folder)")
    parser.add_argument("--system", metavar="TEXT", help="the system prompt (default: the one the session had)")
    parser.add_argument("--eventual", action="store_true", help="do not wait for earlier turns to be indexed")
    add_language(parser)


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.agent.agent import ConversationAgent

    agent = ConversationAgent(
        options.strategy,
        options.model,
        session=options.session,
        store=options.store,
        max_tokens=options.max_tokens,
        answer_tokens=options.answer_tokens,
        system=options.system,
        eventual=options.eventual,
    )
    with closing(agent):
        return Chat(agent, options.store, _WORDS[options.language]).run()


class Chat:
    """A line is a message, or a command where it starts with a slash. The exit status is 2 where a line failed."""

    def __init__(self, agent: ConversationAgent, store: Path | None, words: dict[str, str]) -> None:
        self._agent, self._store, self._words = agent, store, words
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": lambda _: print(words["help"]),
            "/context": self._context,
            "/report": self._report,
            "/checkpoints": self._checkpoints,
            "/sessions": self._sessions,
            "/new": self._new,
            "/forget": self._forget,
        }

    def run(self) -> int:
        from mnemo_lab.errors import MnemoError

        asks, status = sys.stdin.isatty(), 0
        agent = self._agent
        if asks:
            model = agent.services.language_model.name
            self._say("hello", session=agent.session, turns=agent.turns, strategy=agent.strategy.name, model=model)
        for line in lines(self._words["you"] if asks else None):
            command, _, rest = line.partition(" ")
            if command == "/quit":
                break
            try:
                if not line.startswith("/"):
                    self._answer(line)
                elif command in self._commands:
                    self._commands[command](rest.strip())
                else:
                    self._say("unknown", command=command)
            except MnemoError as error:
                print(f"mnemo chat: {error}", file=sys.stderr, flush=True)
                status = 0 if asks else 2
        return status

    def _answer(self, message: str) -> None:
        """An interrupt ends the answer, not the chat; of the turn nothing is kept, unless it was complete."""
        parts, before = self._agent.stream(message), self._agent.turns
        try:
            with closing(parts):
                for part in parts:
                    print(printable(part), end="", flush=True)
            print(flush=True)
        except KeyboardInterrupt:
            print()
            self._say("stopped" if self._agent.turns == before else "complete")

    def _context(self, _: str) -> None:
        turn = self._agent.last
        if turn is None:
            self._say("none_yet")
            return
        sent = turn.sent
        self._say("sent", total=sent.total, budget=sent.budget, **sent.tokens)
        listed = {"shown": sent.history, "checkpoints": sent.checkpoints, "recent": sent.recent}
        self._say("shown", **{name: self._list(ids) for name, ids in listed.items()})
        if sent.missing:
            self._say("missing", missing=sent.missing)
        for message in sent.messages:
            print(f"[{message.role}] {printable(message.text)}")

    def _report(self, _: str) -> None:
        from concurrent.futures import wait

        turn = self._agent.last
        if turn is None:
            self._say("none_yet")
            return
        dollars = self._words["unpriced"] if turn.dollars != turn.dollars else f"${turn.dollars:.6f}"
        usage = {key: value for key, value in turn.completion._asdict().items() if key != "text"}
        self._say("usage", turn=turn.number, cost=dollars, **usage)
        self._say("seconds", stages=", ".join(f"{stage} {seconds:.3f}" for stage, seconds in turn.seconds.items()))
        wait([turn.background], timeout=PATIENCE)
        indexing = turn.indexing
        if indexing is None:
            self._say("pending")
        elif indexing.error:
            self._say("failed", error=indexing.error)
        else:
            tokens = self._list([f"{kind} {count:,}" for kind, count in indexing.tokens.items()])
            self._say("indexing", seconds=indexing.seconds, tokens=tokens, made=self._list(indexing.checkpoints))
        for row in (*self._agent.ledger.table(), *self._agent.services.ledger.table()):
            self._say("totals", **row)

    def _checkpoints(self, _: str) -> None:
        found = self._agent.checkpoints
        if not found:
            self._say("no_checkpoints")
        for one in found:
            print(f"{one.id}  {one.start}-{one.stop}  {one.trigger}  {', '.join(one.keywords)}")
            print("  " + printable(one.summary).replace("\n", "\n  "))

    def _sessions(self, _: str) -> None:
        from mnemo_lab.agent.sessions import list_sessions

        for one in list_sessions(self._store):
            mark = "*" if one.name == self._agent.session else " "
            print(f"{mark} {one.name}  {one.conversations}  {one.started_at or ''}  {printable(one.title or '')}")

    def _new(self, _: str) -> None:
        self._agent.new_conversation()
        self._say("new")

    def _forget(self, name: str) -> None:
        from mnemo_lab.agent.sessions import forget_session

        if not name:
            self._say("which", session=self._agent.session)
            return
        here = name == self._agent.session
        receipts = self._agent.forget() if here else forget_session(name, self._store)
        messages, checkpoints = sum(one.messages for one in receipts), sum(one.checkpoints for one in receipts)
        self._say("forgotten", messages=messages, checkpoints=checkpoints)

    def _say(self, what: str, **values: object) -> None:
        print(self._words[what].format(**values), flush=True)

    def _list(self, items: object) -> str:
        return ", ".join(map(str, items if isinstance(items, list | tuple) else ())) or self._words["none"]


def lines(prompt: str | None) -> Iterator[str]:
    """Lines that are not empty, from a terminal with editing or from a pipe, until the input ends."""
    if prompt is not None:
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (its import gives input() editing and history)
    while True:
        try:
            line = input(prompt) if prompt is not None else sys.stdin.readline()
        except EOFError:
            print()
            return
        if prompt is None and not line:
            return
        # Where the locale is not UTF-8, Python hands on bytes it cannot read as halves of characters.
        line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
        if line:
            yield line


def printable(text: str) -> str:
    """Without control characters, by which a model's answer could steer the terminal, and halves of characters."""
    return "".join(mark for mark in text if mark in "\n\t" or category(mark) not in ("Cc", "Cs"))
