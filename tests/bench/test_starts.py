"""Measured starts are those of a program that has started before."""

from pathlib import Path

import pytest

from bench import starts


def test_a_start_finds_the_bytecode_of_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, folder = tmp_path / "checkout", tmp_path / "measured"
    root.mkdir()
    folder.mkdir()
    (root / "measured_module.py").write_text("NUMBER = 1\n")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    starts._run(starts.Started("import measured_module"), root, str(folder))
    assert [path.name.partition(".")[0] for path in folder.rglob("measured_module*.pyc")] == [
        "measured_module"
    ]
    assert not list(root.rglob("*.pyc"))
