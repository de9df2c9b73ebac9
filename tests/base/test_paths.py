from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab import paths


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / "c"))
    monkeypatch.setenv("MNEMO_DATA_DIR", "~/data")
    assert paths.cache_root() == tmp_path / "c"
    assert paths.data_dir() == Path.home() / "data"
    monkeypatch.delenv("MNEMO_CACHE_DIR")
    monkeypatch.delenv("MNEMO_DATA_DIR")
    assert paths.cache_root().name == "mnemo-lab"
    assert paths.data_dir() is None


def test_bundled_data_is_found_from_anywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert (paths.datasets_root() / "bilingual" / "card.toml").is_file()
    assert paths.evals_root().is_dir()


def test_an_installed_wheel_carries_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "mnemo_lab"
    package.mkdir()
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    with pytest.raises(paths.InvalidInput, match="reinstall mnemo-lab"):
        paths.datasets_root()
    (package / "_datasets" / "bilingual").mkdir(parents=True)
    (package / "_evals").mkdir()
    assert paths.datasets_root() == package / "_datasets"
    assert paths.evals_root() == package / "_evals"
