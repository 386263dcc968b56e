"""Files of megabytes and brackets by the hundred thousand are refused before they are read, in few words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.data.elsewhere.yaml_entries import Document, MappingError
from analysis.files.shallow_yaml import DEEPEST, MOST_CHARACTERS
from app.core.errors import StudyError
from app.core.markdown import LONGEST, markdown
from app.core.plain_yaml import MOST_REPEATED
from app.studies.file.explain import MOST_FAULTS
from app.studies.file.load import StudyFileProblems, load_study
from app.studies.file.yamlsource import read_yaml
from app.tasks.game.elsewhere.mapping import read_mapping
from app.tasks.game.files import move_of
from app.tasks.game.games import GAMES
from app.tasks.game.games.sug.rules import SugConfig
from app.tasks.game.run import configs_of

NESTS = {
    "lists": "[" * 100_000,
    "maps": "{a: " * 50_000,
    "closed": "[" * 50_000 + "]" * 50_000,
    "rows": "- " * 90_000,
}
LONG = "text: " + "word " * 120_000


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of tokens PyYAML has read."""
    found = [0]
    fetch: Callable[[Any], None] = yaml.scanner.Scanner.fetch_more_tokens

    def counted(self: Any) -> None:
        found[0] += 1
        fetch(self)

    monkeypatch.setattr(yaml.scanner.Scanner, "fetch_more_tokens", counted)
    return found


def test_a_study_file_is_as_long_and_deep_as_one_can_be(read: list[int]) -> None:
    (fault,) = read_yaml(LONG).faults
    assert f"600 kB, and at most {MOST_CHARACTERS // 1000} are read" in fault.message
    assert read == [0], "it was not looked at"
    for name, nest in NESTS.items():
        source = read_yaml(f"study: a\nnest: {nest}" if name != "rows" else nest)
        (fault,) = source.faults
        assert source.data is None, name
        assert fault.message == "nested too deeply", name
        assert "six" in fault.remedy
    assert read[0] < 20 * DEEPEST * len(NESTS), "of each no more than the first levels was read"


@pytest.mark.slow
def test_thousands_of_faults_are_counted_and_the_first_named(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("study: a\n" + "".join(f"unknown-{n}: 1\n" for n in range(9_000)))
    with pytest.raises(StudyFileProblems) as caught:
        load_study(path, {})
    lines = str(caught.value).splitlines()
    assert MOST_FAULTS <= len(lines) < MOST_FAULTS + 10
    assert any("more faults are not named" in line for line in lines)
    assert ":2: unknown key 'unknown-0'" in str(caught.value)


@pytest.mark.slow
def test_every_other_file_of_yaml_is_bounded_too(tmp_path: Path, read: list[int]) -> None:
    path = tmp_path / "file.yaml"
    for text, said in ((LONG, "600 kB"), (NESTS["lists"], "levels deep")):
        path.write_text(text)
        with pytest.raises(StudyError, match=said):
            read_mapping(path)
        with pytest.raises(StudyError, match=said):
            configs_of(GAMES["sug"], [str(path)])
    with pytest.raises(MappingError, match="levels deep"):
        Document("map.yaml").root(NESTS["closed"])
    assert read[0] < 100 * DEEPEST
    with pytest.raises(ValueError, match="too deeply"):
        move_of("[" * 100_000)


def test_alias_expansion_is_bounded(tmp_path: Path) -> None:
    """Ten lists of ten aliases each, of the list before, are ten thousand million values in 500 characters."""
    path = tmp_path / "file.yaml"
    lists = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"]
    lists += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    bombs = {"\n".join(lists): f"more than {MOST_REPEATED} values", "a: &a [*a]": "holds itself"}
    for text, said in bombs.items():
        path.write_text(f"kind: game\n{text}\n")
        with pytest.raises(StudyError, match=said):
            read_mapping(path)
        with pytest.raises(StudyError, match=said):
            configs_of(GAMES["sug"], [str(path)])
    path.write_text("players: &n 3\nrounds: *n\n")
    (config,) = configs_of(GAMES["sug"], [str(path)])
    assert isinstance(config, SugConfig)
    assert (config.players, config.rounds) == (3, 3)


def test_a_text_is_as_long_as_can_be_laid_out_in_good_time(tmp_path: Path) -> None:
    """50,000 `![` took 5 s, each time that a page was asked for."""
    text = "![" * 50_000 + "<b>"
    assert markdown(text) == f'<p class="plain">{"![" * 50_000}&lt;b&gt;</p>'
    assert markdown("*x* " * (LONGEST // 4)).startswith("<p><em>x</em>")
    (tmp_path / "consent.md").write_text(text)
    path = tmp_path / "study.yaml"
    path.write_text("study: a\ntitle: A\nconsent: {version: '1', text: consent.md}\n")
    with pytest.raises(
        StudyFileProblems, match=f"consent.text has 100003 characters, and at most {LONGEST} are"
    ):
        load_study(path, {})
