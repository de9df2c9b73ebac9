"""Files, folders and archives from anywhere: nothing leaves the archive, nothing grows without end."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import archive, source
from mnemo_lab.formats.source import Source


def packed(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in entries:
            made.writestr(name, data)
    return path


def reasons(found: Source) -> dict[str | None, str]:
    return {item.pointer: dict(item.values)["reason"] for item in found.losses}


def test_a_plain_file_is_its_own_member(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[1]")
    with Source(tmp_path / "a.json") as found:
        assert found.members == ("a.json",) and found.is_file
        assert found.place("a.json") == str(tmp_path / "a.json")
        assert found.bytes("a.json") == b"[1]" and found.head("a.json", 2) == b"[1"


def test_an_archive_with_nested_folders(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.zip",
        ("export/2026/conversations.json", b"[1]"),
        ("export/", b""),
        ("__MACOSX/export/._conversations.json", b"\x00"),
        ("export/.DS_Store", b"\x00"),
        ("export/USER.JSON", b"{}"),
    )
    with Source(path) as found:
        assert found.members == ("export/2026/conversations.json", "export/USER.JSON")
        assert found.named("conversations.json") == ["export/2026/conversations.json"]
        assert found.ending(".json") == list(found.members)
        assert found.place("export/USER.JSON") == f"{path}:export/USER.JSON"
        assert found.bytes("export/2026/conversations.json") == b"[1]"
        assert found.losses == []


def test_names_that_lead_out_links_and_encrypted_members_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    pipe = zipfile.ZipInfo("pipe.json")
    pipe.external_attr = (stat.S_IFIFO | 0o777) << 16
    out = ("../up.json", "/root.json", "a/../../b.json", "C:/x.json", "..\\win.json", "\\\\host\\share.json")
    path = packed(
        tmp_path / "a.zip", *((name, b"{}") for name in out), (link, b"/etc/passwd"), (pipe, b""), ("ok.json", b"1")
    )
    with Source(path) as found:
        assert found.members == ("ok.json",)
        said = reasons(found)
        assert len(said) == len(out) + 2
        assert {said[name] for name in out} == {"its name leads out of the archive"}
        assert said["link.json"] == "it is a link" and said["pipe.json"] == "it is no regular file"
        with pytest.raises(InvalidInput, match=r"has no member '\.\./up\.json'"):
            found.open("../up.json")


def test_an_encrypted_member_and_one_of_an_unknown_method(tmp_path: Path) -> None:
    data = bytearray(
        packed(tmp_path / "a.zip", ("secret.json", b"{}"), ("odd.json", b"{}"), ("ok.json", b"1")).read_bytes()
    )
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    second = data.index(b"PK\x01\x02", directory + 4)
    struct.pack_into("<H", data, second + 10, 98)
    (tmp_path / "a.zip").write_bytes(data)
    with Source(tmp_path / "a.zip") as found:
        assert found.members == ("ok.json",)
        assert reasons(found) == {
            "secret.json": "it is encrypted",
            "odd.json": "packed by method 98, which is not known",
        }


def test_a_name_that_stands_twice_is_read_once(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = packed(tmp_path / "a.zip", ("a.json", b"1"), ("a.json", b"2"))
    with Source(path) as found:
        assert found.members == ("a.json",) and found.bytes("a.json") == b"1"
        assert reasons(found) == {"a.json": "its name stands twice; the first one is read"}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int) -> None:
    """Also where one read of 1 MB of packed bytes would make gigabytes of them."""
    monkeypatch.setattr(archive, "FREE_SIZE", 2**20)
    path = packed(tmp_path / "a.zip", ("bomb.json", b"[" + b" " * 60_000_000), method=method)
    assert path.stat().st_size < 400_000
    with Source(path) as found, found.open("bomb.json") as stream:
        read = 0
        with pytest.raises(InvalidInput, match=r"bomb\.json: unpacks to more than 200 times its size; refused"):
            while data := stream.read(2**20):
                read += len(data)
        assert read <= 60_000_000
        assert found.head("bomb.json", 10) == b"[" + b" " * 9, "its start can be looked at"


def test_many_members_that_are_a_bomb_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "FREE_SIZE", 2**20)
    path = packed(tmp_path / "a.zip", *((f"{n}.json", b" " * 2**20) for n in range(20)))
    with Source(path) as found, pytest.raises(InvalidInput, match="refused as a zip bomb"):
        for member in found.members:
            found.bytes(member)
    with Source(path) as found:
        for _ in range(50):
            found.bytes("0.json")  # the same member again counts once


def test_a_size_that_its_maker_made_up_does_not_lift_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "FREE_SIZE", 2**10)
    data = bytearray(packed(tmp_path / "a.zip", ("a.json", b" " * 10_000_000)).read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 20, 2**31)
    (tmp_path / "a.zip").write_bytes(data)
    with Source(tmp_path / "a.zip") as found, pytest.raises(InvalidInput, match=r"bomb|damaged|cannot be read"):
        found.bytes("a.json")


def test_damage_is_said(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.zip", ("a.json", os.urandom(5000))).read_bytes()
    for cut in (4, 100, len(whole) - 30, len(whole) - 1):
        (tmp_path / "cut.zip").write_bytes(whole[:cut])
        with pytest.raises(InvalidInput, match=r"cut\.zip: a damaged zip archive \(.*\); download it again"):
            Source(tmp_path / "cut.zip")
    flipped = bytearray(packed(tmp_path / "b.zip", ("a.json", b"abc" * 5000)).read_bytes())
    flipped[45:60] = b"\xff" * 15
    (tmp_path / "b.zip").write_bytes(flipped)
    with Source(tmp_path / "b.zip") as found, pytest.raises(InvalidInput, match=r"a\.json: damaged inside the archive"):
        found.bytes("a.json")


def test_every_flipped_byte_is_an_error_or_nothing(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.zip", ("a.json", b"[1, 2]"), ("b.json", b"x" * 400)).read_bytes()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 0xFF
        (tmp_path / "f.zip").write_bytes(data)
        try:
            with Source(tmp_path / "f.zip") as found:
                for member in found.members:
                    found.bytes(member)
        except InvalidInput as error:
            assert str(error)


def test_a_folder_without_its_links_and_hidden_files(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    folder = tmp_path / "folder"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("b.json", "deep/er/a.json", ".hidden.json", ".git/c.json"):
        (folder / name).write_text("1")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "out").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.json")
    with Source(folder) as found:
        assert found.members == ("b.json", "deep/er/a.json")
        assert reasons(found) == dict.fromkeys(("link.json", "out", "loop"), "it is a link")
        assert found.bytes("deep/er/a.json") == b"1"
        with pytest.raises(InvalidInput, match="has no member"):
            found.open("../secret.json")
    (tmp_path / "named").symlink_to(folder)
    with Source(tmp_path / "named") as found:  # the user named it
        assert found.members == ("b.json", "deep/er/a.json")


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_MEMBERS", 3)
    (tmp_path / "many").mkdir()
    for number in range(4):
        (tmp_path / "many" / str(number)).touch()
    path = packed(tmp_path / "a.zip", *((str(n), b"") for n in range(4)))
    for place in (tmp_path / "many", path):
        with pytest.raises(InvalidInput, match="more than the 3 members that are read"):
            Source(place)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, says in (
        (tmp_path / "nope.json", "no such file or folder"),
        (tmp_path / "pipe", "neither a file nor a folder"),
        (Path("/dev/zero"), "neither a file nor a folder"),
        (tmp_path / "nul\0.json", "cannot be read|no such file"),
    ):
        with pytest.raises(InvalidInput, match=says):
            Source(path)


def test_a_file_that_only_ends_like_an_archive_is_a_file(tmp_path: Path) -> None:
    data = b'{"a": 1}' + packed(tmp_path / "a.zip", ("x", b"1")).read_bytes()
    (tmp_path / "a.json").write_bytes(data)
    with Source(tmp_path / "a.json") as found:
        assert found.members == ("a.json",)
