"""Files of verdicts on the page of judges: checked while they are chosen, refused whole, and kept beside others'."""

import csv
import html
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.admin.judges import training_router
from app.admin.judges.trained import facts_of
from app.core.database import Database
from app.core.settings import Settings
from app.judges.checking import EXAMPLE_JUDGE, MOST_JUDGES
from app.judges.models import TrainedHere
from app.judges.trainable import Trainable
from app.judges.verdict_files import MOST_BYTES
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import Person, Program
from tests.kept import Kept
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("few_resamples")]

HERE = "/admin/studies/nav/judges"
HEAD = "judge,pair,choice,score\n"
Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with the answers of three people, closed: nothing is blinded."""
    kept.once(database, lambda: [Walk(client, study).to("end") for _ in range(3)])
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    return study


def said(text: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", text.partition("<main")[2] or text)).split())


def send(person: Person, text: str | bytes, where: str = HERE, name: str = "mine.csv", **fields: str):  # type: ignore[no-untyped-def]
    data = text.encode() if isinstance(text, str) else text
    return person.post(where, fields, files={"verdicts": (name, data, "text/csv")})


def verdicts(person: Person, run: int) -> dict[str, list[tuple[str, str, str]]]:
    """The verdicts of a run by judge: pair, choice and score."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in csv.DictReader(io.StringIO(person.get(f"{HERE}/{run}/verdicts.csv").text)):
        found.setdefault(row["judge"], []).append((row["pair"], row["choice"], row["score"]))
    return found


def of_judge(name: str, choice: str, n: int = 6) -> str:
    return "".join(f"{name},human-hybrid-0{number},{choice},\n" for number in range(1, n + 1))


def test_a_file_is_checked_while_it_is_chosen_and_again_when_it_is_sent_and_nothing_of_a_bad_one_is_added(
    owner: Person, study: str, settings: Settings, api: Program
) -> None:
    text = f"{HEAD}m,human-hybrid-01,a,0.9\nm,human-hybrid-02,a,0.10\nm,human-hybrid-3,left,83%\n"
    problems = (
        "Row 3: the choice and the score disagree. The score 0.10 says that b is the likelier one, the choice says a.",
        "Write b as the choice, or a score above 0.50.",
        "Row 4: the choice is 'left'. Write a or b, the members of the pair;",
        "Row 4: the score is '83%', which is no number. Write 0.83.",
        "Row 4: this study has no pair 'human-hybrid-3'. Did you mean 'human-hybrid-03'?",
        "Nothing has been added. 1 row is fine;",
    )
    checked, sent = send(owner, text, f"{HERE}/check"), send(owner, text)
    assert (checked.status_code, sent.status_code) == (200, 422)
    for page in (said(checked.text), said(sent.text)):
        assert "4 problems" in page
        for problem in problems:
            assert problem in page.replace(" .", ".")
        # The row stands between its neighbours.
        assert re.search(r"2 m human-hybrid-01 a 0\.9 3 \(problem\) m human-hybrid-02 a 0\.10 4 m", page)
    assert "Waiting to begin" not in sent.text
    assert not list(settings.data_dir.glob("incoming/*"))
    body = {"verdicts": text, "file_name": "mine.csv"}
    check = api.post("/studies/nav/judges/check", body).json()
    assert (check["n_wrong"], check["n_fine"], [one["row"] for one in check["wrong"]]) == (4, 1, [3, 4, 4, 4])
    refused = api.post("/studies/nav/judges", body)
    assert refused.status_code == 422
    assert "mine.csv has 4 problems; nothing was added. Row 3: the choice" in refused.json()["message"]
    assert api.get("/studies/nav/judges").json() == []


def test_a_good_file_says_what_it_holds_and_which_pairs_are_missing(owner: Person, study: str) -> None:
    page = said(send(owner, f"{HEAD}{of_judge('m', 'a')}", f"{HERE}/check").text)
    assert "Can be added" in page
    assert "m 6 of 10 6 0 4 m has no verdict on " in page


def test_the_example_holds_the_studys_pairs_and_is_taken_once_the_judge_has_a_name(
    owner: Person, study: str
) -> None:
    example = owner.get(f"{HERE}/example.csv")
    rows = list(csv.DictReader(io.StringIO(example.text)))
    assert len(rows) == 10
    assert {row["judge"] for row in rows} == {EXAMPLE_JUDGE}
    page = said(send(owner, example.text, f"{HERE}/check").text)
    assert "the row still has the name of the example" in page
    named = example.text.replace(EXAMPLE_JUDGE, "mine")
    assert "Can be added" in said(send(owner, named, f"{HERE}/check").text)


def test_an_upload_leaves_other_judges_verdicts_as_they_were_and_replaces_its_own_when_that_is_said(
    answered: str, owner: Person, settings: Settings, database: Database
) -> None:
    for text in (of_judge("first", "a"), of_judge("second", "b") + of_judge("third", "a", 3)):
        assert send(owner, f"{HEAD}{text}").status_code == 200
        drain(settings, database)
    before = verdicts(owner, 2)
    assert list(before) == ["second", "third", "first"]
    assert before["first"] == verdicts(owner, 1)["first"]
    page = owner.get(HERE).text
    for name in ("first", "second", "third"):
        assert re.search(rf'aria-label="{name}: \d+%', page), name
    assert re.search(r"uploaded, \d{1,2} \w{3} \d{4}", page)
    assert "uploaded verdicts for the study" in said(owner.get("/admin/studies/nav/audit").text)
    # The same judge again: it asks, and takes nothing.
    again = send(owner, f"{HEAD}{of_judge('second', 'a', 2)}")
    assert again.status_code == 409
    assert "second has verdicts here already." in said(again.text)
    checked = said(send(owner, f"{HEAD}{of_judge('second', 'a', 2)}", f"{HERE}/check").text)
    assert "The file replaces these, once you tick that it may; those of other judges stay." in checked
    drain(settings, database)
    assert verdicts(owner, 2) == before
    assert owner.get(f"{HERE}/3/verdicts.csv").status_code == 404
    # Said, it replaces its own alone.
    send(owner, f"{HEAD}{of_judge('second', 'a', 2)}", replace="1")
    drain(settings, database)
    after = verdicts(owner, 3)
    assert after["second"] == [("human-hybrid-01", "a", ""), ("human-hybrid-02", "a", "")]
    assert {name: after[name] for name in ("first", "third")} == {
        name: before[name] for name in ("first", "third")
    }
    # One is taken out, and the others stay, also after the next upload.
    owner.post(f"{HERE}/again", {"about": "pairs", "without": "third"})
    drain(settings, database)
    assert set(verdicts(owner, 4)) == {"first", "second"}
    send(owner, f"{HEAD}{of_judge('fourth', 'b')}")
    drain(settings, database)
    assert set(verdicts(owner, 5)) == {"first", "second", "fourth"}
    for name in ("first", "second", "fourth"):
        owner.post(f"{HERE}/again", {"about": "pairs", "without": name})
        drain(settings, database)
    assert "No judge is left; run one, or upload verdicts." in owner.get(HERE).text


def test_files_of_any_size_and_kind_get_an_answer_in_words(
    owner: Person, study: str, exhaustive: bool
) -> None:
    n_rows = 100_000 if exhaustive else 10_000
    many_judges = "".join(f"judge-{number},human-hybrid-01,a,\n" for number in range(MOST_JUDGES + 1))
    many_rows = "".join(f"m,p{number},a,\n" for number in range(n_rows))
    for text, status, words in (
        (many_rows, 200, f"{n_rows:,} problems"),
        (many_judges, 200, f"The file has {MOST_JUDGES + 1} judges"),
        ("x" * MOST_BYTES, 413, "4 MB are allowed here"),
        ("x" * 2 * MOST_BYTES, 413, "too large"),
    ):
        reply = send(owner, f"{HEAD}{text}", f"{HERE}/check")
        assert reply.status_code == status, words
        assert words in said(reply.text)
    for data, name, words in (
        (b"PK\x03\x04 no workbook", "book.xlsx", "The file is no workbook that can be read"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "picture.csv", "it is not UTF-8 text"),
        (b"", "empty.csv", "The file is empty"),
    ):
        reply = send(owner, data, f"{HERE}/check", name)
        assert reply.status_code == 200, name
        assert words in said(reply.text)


def test_who_may_only_look_gets_no_form(
    owner: Person, viewer: Person, study: str, share_with: object
) -> None:
    share_with(viewer)  # type: ignore[operator]
    assert "<form" not in viewer.get(HERE).text.partition("<main")[2]
    assert send(viewer, f"{HEAD}{of_judge('m', 'a')}", f"{HERE}/check").status_code == 403


def test_what_is_missing_to_train_is_said_before_the_form(
    owner: Person, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        training_router, "trainable", lambda: Trainable((), {"size": "sizes tell"}, "training needs JAX")
    )
    page = owner.get(f"{HERE}/train").text
    needs, _, form = page.partition('aria-labelledby="ask"')
    assert "JAX and Optax are not installed." in said(needs)
    assert "start the service again: make train." in said(needs).replace(" .", ".")
    assert re.search(r"0 of the \d+ clips of this study have positions of the player", said(needs))
    assert "0 pairs of this study have votes; at least 40 are needed, 80 are advised." in said(needs)
    assert re.findall(r'name="network" value="([^"]+)"', form) == ["votes"]
    # What only a network has is not offered where none can be trained: nothing would take it.
    asked = set(re.findall(r'name="([\w-]+)"', form.partition("</form>")[0]))
    assert asked == {"csrf", "name", "network", "seed", "licence"}
    assert "0 other networks" not in said(form)
    assert "Leaks to allow" not in said(form)


def test_a_trained_judge_has_four_facts() -> None:
    model = TrainedHere(
        name="first",
        network="turn-speed-gru",
        title="Recurrent",
        version="1",
        made_at="2026-11-28T10:00:00+00:00",
        on="walks",
        n_clips=96,
        pairs=41 / 48,
        n_pairs=48,
        low=0.73,
        high=0.93,
        null=0.5,
        allowed=("length",),
        mode="",
        has_curve=False,
        n_deleted=0,
    )
    assert facts_of(model) == (
        ("Reads", "turn and speed"),
        ("Learnt from", "96 clips of walks: who made each"),
        (
            "Unseen pairs",
            "right in 41 of 48, 85%, 95% interval 73 to 93; 50% after training on permuted labels",
        ),
        (
            "Do not use for",
            "clips of another game or of another length; clues that it may have used: length",
        ),
    )
    of_votes = replace(model, mode="live", on="nav", pairs=None)
    assert facts_of(of_votes)[2] == ("Unseen pairs", "none was held out, so nobody knows")
