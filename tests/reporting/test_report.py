"""The report: its numbers are the analysis', its page opens anywhere, and it says when there is nothing."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import pytest

from analysis import analyze
from app.clips.importing import ImportedClip
from app.clips.store import ClipStore
from app.database import Database
from app.errors import NotFound, StudyError
from app.reporting.frames import responses_frame
from app.reporting.report import build_report
from app.reporting.reports.references import REFERENCES
from app.study.tables import Mode
from tests.factories import NOW, open_study
from tests.reporting.packages import published_in, rows_in
from tests.reporting.people import take, walk

ROOT = Path(__file__).parent.parent.parent
FILES = [
    "methods.md",
    "report.css",
    "report.html",
    "results.json",
    *(f"tables/{name}.csv" for name in ("comparisons", "labels", "measures", "participants", "selection")),
]


class Page(HTMLParser):
    """What a page holds: its tags, its text, and what it links to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def published(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with published_in(tmp_path_factory.mktemp("published"), migrated_sqlite) as database:
        yield database


def test_its_numbers_are_those_of_the_analysis(published: Database, tmp_path: Path) -> None:
    told: list[int] = []
    with published.reading() as session:
        info = build_report(
            session,
            ["hntt-1", "hntt-2"],
            tmp_path / "report",
            seed=3,
            made_at=NOW,
            on_progress=lambda done, total, what: told.append(done),
        )
        expected = analyze(
            [responses_frame(session, slug) for slug in ("hntt-1", "hntt-2")], seed=3
        ).to_dict()
    assert (info.mode, info.n_answers, info.n_participants) == ("live", 600, 60)
    assert list(info.files) == sorted(FILES)
    assert sorted(told) == told
    assert json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8")) == expected
    measures = rows_in(tmp_path / "report/tables/measures.csv")
    for study, row in zip(
        expected["studies"], (r for r in measures if r["measure"] == "accuracy"), strict=True
    ):
        numbers = study["accuracy"]
        assert (row["study"], float(row["mean"]), int(row["n"])) == (
            study["study"],
            numbers["mean"],
            numbers["n"],
        )
        assert (float(row["low"]), float(row["high"])) == (
            numbers["interval"]["low"],
            numbers["interval"]["high"],
        )
    comparisons = rows_in(tmp_path / "report/tables/comparisons.csv")
    assert [float(row["u1"]) for row in comparisons] == [one["u1"] for one in expected["comparisons"]]
    labels = rows_in(tmp_path / "report/tables/labels.csv")
    assert [(row["pair"], int(row["n"])) for row in labels] == [
        (one["pair"], one["n"]) for one in expected["labels"]
    ]
    text = Page(tmp_path / "report" / "report.html").text
    for study in expected["studies"]:
        assert f"{study['accuracy']['mean']:.3f}" in text
        low, high = (study["accuracy"]["interval"][end] for end in ("low", "high"))
        assert f"{low:.3f} to {high:.3f}" in text
    assert f"{expected['as_published']['uncertainty']['p']:.4f} one-sided" in text
    assert expected["what_differs"][0] in text


def test_its_page_opens_offline_and_under_a_strict_policy(published: Database, tmp_path: Path) -> None:
    with published.reading() as session:
        build_report(session, "hntt-1", tmp_path / "report", made_at=NOW)
    page = Page(tmp_path / "report" / "report.html")
    assert not {"script", "style", "iframe", "object", "img"} & {tag for tag, _ in page.tags}
    for _, attributes in page.tags:
        assert not any(name == "style" or name.startswith("on") for name in attributes)
        for name in ("href", "src"):
            if link := attributes.get(name):
                assert (tmp_path / "report" / link).is_file(), link
    assert "2026-03-01 12:00 UTC" in page.text
    assert "url(" not in (tmp_path / "report" / "report.css").read_text(encoding="utf-8")
    # Well-formed: every tag of it is closed.
    body = (tmp_path / "report" / "report.html").read_text(encoding="utf-8").partition("<body>")[2]
    ElementTree.fromstring(f"<body>{body.partition('</html>')[0]}")


def test_the_methods_say_what_was_done(published: Database, tmp_path: Path) -> None:
    with published.reading() as session:
        build_report(session, ["hntt-1", "hntt-2"], tmp_path / "report", seed=5)
    methods = (tmp_path / "report" / "methods.md").read_text(encoding="utf-8")
    for said in (
        "human-hybrid (6), hybrid-symbolic (4); 6 of them have a member that is right",
        "in the same order to every participant; member a of each pair was always on the left",
        "5 points, from 1 extremely certain to 5 extremely uncertain",
        "300 answers by 30 participants are analysed; left out were none",
        "Wilcoxon's signed-rank test",
        "Holm's method over 3 comparisons",
        f"pingouin {version('pingouin')}",
        "The seed of every bootstrap is 5",
    ):
        assert said in methods, said
    cited = set(re.findall(r"\\?\[([A-Z][A-Za-z]*\d\d)\]", methods))
    assert cited == {"ET93", "Hol79", "Ker14", "MW47", "MW92", "Wil27", "Wil45"}
    for key in cited:
        assert f"- [{key}] {REFERENCES[key]}" in methods


def test_the_references_are_those_of_the_documentation() -> None:
    listed = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    entries = dict(re.findall(r"- \*\*\[(\w+)\]\*\* (.*?)(?=\n- |\Z)", listed, re.DOTALL))
    for key, text in REFERENCES.items():
        assert " ".join(entries[key].replace("*", "").split()) == text


@pytest.fixture
def nav(database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path) -> Database:
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], title="<script>alert(1)</script> & *stars*")
    return database


def test_a_report_without_answers_says_so(nav: Database, tmp_path: Path) -> None:
    with nav.reading() as session:
        info = build_report(session, "nav", tmp_path / "report")
    assert (info.n_answers, info.mode) == (0, "live")
    page = Page(tmp_path / "report" / "report.html")
    assert "There are no answers yet: this report has no numbers." in page.text
    assert "No numbers: there is no answer of mode live." in page.text
    assert json.loads((tmp_path / "report" / "results.json").read_text())["studies"] == []
    assert rows_in(tmp_path / "report" / "tables" / "labels.csv") == []
    assert "No answer of mode live has been given" in (tmp_path / "report" / "methods.md").read_text()


def test_what_experimenters_type_stays_text(nav: Database, tmp_path: Path) -> None:
    with nav.reading() as session:
        build_report(session, "nav", tmp_path / "report")
    page = Page(tmp_path / "report" / "report.html")
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script>alert(1)</script> & *stars*" in page.text
    methods = (tmp_path / "report" / "methods.md").read_text(encoding="utf-8")
    assert r"\<script\>alert(1)\</script\> \& \*stars\*" in methods


def test_modes_are_chosen_told_and_never_previews(nav: Database, tmp_path: Path) -> None:
    def for_a(_pair: str, left: str) -> dict[str, str]:
        return {"choice": take("a", left)}

    with nav.transaction() as session:
        walk(session, "nav", for_a, seed=1, mode=Mode.PREVIEW)
        walk(session, "nav", for_a, seed=2, mode=Mode.SIMULATED)
        walk(session, "nav", for_a, seed=3, mode=Mode.PILOT, n_trials=4)
    with nav.reading() as session:
        simulated = build_report(session, "nav", tmp_path / "report")
        assert (simulated.mode, simulated.n_participants) == ("simulated", 1)
        assert "no person gave these answers" in Page(tmp_path / "report" / "report.html").text
        assert "preview" not in (tmp_path / "report" / "tables" / "selection.csv").read_text()
        pilot = build_report(session, "nav", tmp_path / "report", mode="pilot")
        assert (pilot.mode, pilot.n_answers) == ("pilot", 3)
        assert build_report(session, "nav", tmp_path / "live", mode="live").n_answers == 0
        for mode in ("preview", "none"):
            with pytest.raises(StudyError, match=f"mode '{mode}' cannot be reported"):
                build_report(session, "nav", tmp_path / "bad", mode=mode)
    text = Page(tmp_path / "report" / "report.html").text
    assert "These numbers are of a pilot" in text
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_what_cannot_be_reported_or_written_is_one_clear_refusal(published: Database, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with published.reading() as session:
        with pytest.raises(NotFound, match="no study 'none'"):
            build_report(session, "none", tmp_path / "report")
        with pytest.raises(StudyError, match=r"cannot write the report into .*file"):
            build_report(session, "hntt-1", tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
