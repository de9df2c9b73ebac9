"""From any format to any other: detect, read, select, prepare for the target, write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Format, StrPath, WriteOptions, Writer, Written
from mnemo_lab.formats.contents import Contents
from mnemo_lab.formats.detect import ALIASES, choose, writer_named
from mnemo_lab.formats.faults import shorten_text
from mnemo_lab.formats.files import write_atomically
from mnemo_lab.formats.portable.models import VERSIONS
from mnemo_lab.formats.preparing import Cut, Prepared, Preparer, Settings
from mnemo_lab.formats.provenance import meta_of
from mnemo_lab.formats.reading import Numbered, numbered_readings, read_all
from mnemo_lab.formats.reading_back import refusals
from mnemo_lab.formats.safe_names import SafeNames
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, count_by_code
from mnemo_lab.registry import names

__all__ = ["Converted", "Numbered", "Placed", "Settings", "convert", "numbered_readings", "read_all", "target_named"]

PORTABLE: Final = "portable"


class Target(NamedTuple):
    """Where to: a writer, its name, and the version of the portable format where one is forced."""

    name: str
    writer: Writer
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A loss with the conversation it befell."""

    conversation: str
    loss: Loss


@dataclass(slots=True)
class Converted:
    """What a conversion did: files, what is in them, every loss, what was not written, what is sensitive.

    ``failed`` counts conversations that could not be read or that the target would refuse. ``sensitive`` counts what
    stands in the output by kind, ``redacted`` what was replaced; ``mapping`` is from placeholders back to the
    originals. ``cuts``: one for each conversation where a budget was set.
    """

    source_format: str
    target: str
    paths: list[Path] = field(default_factory=list)
    contents: Contents = field(default_factory=Contents)
    losses: list[Placed] = field(default_factory=list)
    failed: int = 0
    sensitive: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    mapping: dict[str, str] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Losses by code."""
        return count_by_code(item.loss for item in self.losses)

    @property
    def grave(self) -> int:
        """Losses of severity error."""
        return sum(item.loss.severity == "error" for item in self.losses)


def target_named(text: str) -> Target:
    """A target from ``anthropic``, ``portable``, ``mnemosyne@1.0.0``; raises ``InvalidInput`` naming the others."""
    given, at, version = text.partition("@")
    name = ALIASES.get(given, given)
    writer = writer_named(name)
    if at and name != PORTABLE:
        raise InvalidInput(f"target {text!r}: only portable has versions (portable@1.0.0); write --to {name}")
    if at and version not in VERSIONS:
        raise InvalidInput(f"target {text!r}: version {version!r} cannot be written; allowed: {', '.join(VERSIONS)}")
    return Target(name, writer, version if at else None)


def own_target(format_: Format) -> str:
    """The name of a format that can be written, else the portable one's."""
    return format_.name if isinstance(format_, Writer) else PORTABLE


def convert(
    path: StrPath,
    out: StrPath,
    to: str | None,
    settings: Settings | None = None,
    *,
    now: datetime,
    wanted: str | None = None,
    select: Sequence[str] | None = None,
    changes: dict[str, Any] | None = None,
) -> Converted:
    """Convert into one file, or one file each where ``out`` is a folder or ends in ``/``; files are written whole.

    Without ``to`` the input's own format is written, or the portable one where that cannot be.
    A conversation that cannot be read, or that the target would refuse, is left out and counted as failed.
    ``changes`` replace fields of every conversation (id, title, model). Raises ``InvalidInput`` where nothing is left
    to write.
    """
    with Source(path) as source:
        target, format_ = target_named(to) if to else None, choose(source, wanted)
        work = _Conversion(source, format_, target or target_named(own_target(format_)), settings or Settings(), now)
        prepared = work.prepare(select, changes or {})
        if str(out).endswith(("/", "\\")) or Path(out).is_dir():
            work.write_each(prepared, Path(out))
        else:
            work.write_one(prepared, Path(out))
    done = work.done
    if not done.paths:
        reasons = "; ".join(dict.fromkeys(item.loss.sentence(work.settings.language) for item in done.losses))
        raise InvalidInput(f"{path}: nothing to write: {shorten_text(reasons or 'it holds no conversation', 600)}")
    return done


class _Conversion:
    """One source on its way to one target."""

    def __init__(self, source: Source, format_: Format, target: Target, settings: Settings, now: datetime) -> None:
        self.source, self.format, self.target, self.settings, self.now = source, format_, target, settings, now
        self.preparer = Preparer(target.name, target.writer, settings)
        self.done = Converted(self.format.name, target.name)
        self._reads_back = target.name in names("target") and isinstance(target.writer, Format)

    def prepare(self, select: Sequence[str] | None, changes: dict[str, Any]) -> Iterator[Prepared]:
        """Every conversation ready to be written; what fails is counted, its losses listed."""
        done = self.done
        for number, reading in numbered_readings(self.source, self.format, select):
            if reading.conversation is None:
                done.failed += 1
                done.losses += [Placed(reading.place, item) for item in reading.losses]
                if self.settings.cuts:
                    done.cuts.append(Cut(None, None, reading.place, number, reading.losses))
                continue
            for one in self.preparer.prepare(replace(reading.conversation, **changes), reading):
                label = one.conversation.title or one.conversation.id or str(number)
                done.losses += [Placed(label, item) for item in one.losses]
                done.failed += one.refused
                if one.cut:
                    one.cut.conversation, one.cut.number, one.cut.losses = label, number, one.losses
                    done.cuts.append(one.cut)
                if not one.refused:
                    yield one
        done.sensitive, done.redacted = self.preparer.sensitive, self.preparer.redacted
        done.mapping = self.preparer.mapping

    def write_each(self, prepared: Iterator[Prepared], folder: Path) -> None:
        """One file a conversation, in the memory of one."""
        names = SafeNames()
        for one in prepared:
            if not self.done.paths:
                _make_folder(folder)
            name = names.make(one.conversation.title or one.conversation.id, self.target.writer.suffix)
            self._write([one], folder / name)

    def write_one(self, prepared: Iterator[Prepared], out: Path) -> None:
        """All of them in one file, where the target holds several."""
        self._keep_input(out)
        several = list(prepared)
        if len(several) > 1 and not self.target.writer.several:
            raise InvalidInput(
                f"{self.target.name} holds one conversation a file, and there are {len(several)}; "
                "give a folder (-o DIR/), or --select one (see: mnemo list)"
            )
        if several:
            self._write(several, out)

    def _write(self, several: Sequence[Prepared], path: Path) -> None:
        self._keep_input(path)
        written = self._written(several)
        if self._reads_back:
            refused = refusals(written, self.target.name, len(several))
            for position, losses in refused.items():
                self.done.losses += [Placed(_label([several[position]], path), item) for item in losses]
                if cut := several[position].cut:
                    cut.losses += tuple(losses)
            if refused and not self.settings.force:
                self.done.failed += len(refused)
                several = [one for position, one in enumerate(several) if position not in refused]
                if not several:
                    return
                written = self._written(several)
        write_atomically(path, written.data)
        self.done.paths.append(path)
        self.done.losses += [Placed(_label(several, path), item) for item in written.losses]
        for one in several:
            self.done.contents.add(one.conversation)
            if one.cut:
                one.cut.path = path

    def _written(self, several: Sequence[Prepared]) -> Written:
        extra: dict[str, Any] = {}
        if self.target.name == PORTABLE:
            extra["metas"] = [meta_of(one, self.format.name, self.settings, self.now) for one in several]
            extra["version"] = self.target.version
        model = self.settings.write_as or self.settings.model
        conversations = [one.conversation for one in several]
        options = WriteOptions(self.now, model, self.settings.language, extra)
        return self.target.writer.write(conversations, options)

    def _keep_input(self, out: Path) -> None:
        """Raise ``InvalidInput`` where a file that is to be written is one that is read."""
        if not out.is_file():
            return
        read, here = self.source.path.resolve(), out.resolve()
        if here == read or (read.is_dir() and read in here.parents):
            raise InvalidInput(f"{out}: is the input; name another output")


def _label(several: Sequence[Prepared], path: Path) -> str:
    """How the losses of writing name what they befell: a writer does not say which of several it was."""
    first = several[0].conversation
    return path.name if len(several) > 1 else first.title or first.id or path.name


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{out}: cannot be made a folder ({error.strerror or error}); name another") from None
