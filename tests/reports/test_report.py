"""The report: its numbers are the analysis', its page opens anywhere, and it says when there is nothing."""

import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import analyze, hntt_responses, read_hntt
from analysis.findings.references import REFERENCES
from analysis.findings.signatures import signature_figures
from analysis.judging import check_verdicts
from analysis.signatures import NoSignatures, compare_play, compare_signatures
from analysis.signatures.against import Lacking
from analysis.signs import signed
from app.core.database import Database
from app.core.errors import NotFound, StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.file_studies import joined, read_file, split
from app.reports.frames import responses_frame
from app.reports.report import ReportInfo, build_report, write_report
from app.trials.tables import Mode
from tests.analysis.signatures.test_comparing import clips_of
from tests.analysis.signatures.test_play import MEAN, PEOPLE, SAME
from tests.analysis.tables import HNTT, answer, checked, person, write_csv
from tests.factories import NOW, open_study
from tests.reports.packages import published_in, rows_in
from tests.reports.people import take, walk
from tests.resamples import FEW, take_few

pytestmark = [pytest.mark.slow, pytest.mark.any_database, pytest.mark.usefixtures("few_resamples")]

ROOT = Path(__file__).parent.parent.parent
TABLES = (
    "breakdowns", "comparisons", "conditions", "estimates", "flow", "labels", "measures", "participants", "preferences",
    "selection",
)  # fmt: skip
FIGURES = ("flow-1", "flow-2", "participants", "preferences", "certainty", "votes-1", "votes-2")
FILES = [
    "methods.md",
    "report.css",
    "report.html",
    "results.json",
    *(f"tables/{name}.csv" for name in TABLES),
    *(f"figures/{name}.{kind}" for name in FIGURES for kind in ("png", "svg")),
]


class Page(HTMLParser):
    """The content of a page: its tags, its text, and what it links to."""

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


@pytest.fixture(scope="module")
def imported(published: Database, tmp_path_factory: pytest.TempPathFactory) -> tuple[ReportInfo, list[int]]:
    """The report of both published studies, and the steps that were told while it was made."""
    told: list[int] = []
    with published.reading() as session, pytest.MonkeyPatch.context() as patch:
        take_few(patch)
        info = build_report(
            session,
            ["hntt-1", "hntt-2"],
            tmp_path_factory.mktemp("imported"),
            seed=3,
            made_at=NOW,
            on_progress=lambda done, total, what: told.append(done),
        )
    return info, told


def test_its_numbers_are_those_of_the_analysis(
    published: Database, imported: tuple[ReportInfo, list[int]]
) -> None:
    info, told = imported
    report = info.folder
    with published.reading() as session:
        expected = analyze(
            [responses_frame(session, slug) for slug in ("hntt-1", "hntt-2")], seed=3, resamples=FEW
        ).to_dict()
    assert (info.mode, info.n_answers, info.n_participants) == ("live", 600, 60)
    assert set(FILES) <= set(info.files)
    assert {"figures/accuracy.csv", "figures/2-pairs.csv", "numbers/means.csv", "numbers/2-reach.csv"} <= set(
        info.files
    )
    assert len(told) > 5
    assert sorted(told) == told
    assert json.loads((report / "results.json").read_text(encoding="utf-8")) == expected
    measures = rows_in(report / "tables/measures.csv")
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
    comparisons = rows_in(report / "tables/comparisons.csv")
    assert [float(row["u1"]) for row in comparisons] == [one["u1"] for one in expected["comparisons"]]
    labels = rows_in(report / "tables/labels.csv")
    assert [(row["pair"], int(row["n"])) for row in labels] == [
        (one["pair"], one["n"]) for one in expected["labels"]
    ]
    text = Page(report / "report.html").text
    for study in expected["studies"]:
        assert f"{study['accuracy']['mean']:.3f}" in text
        low, high = (study["accuracy"]["interval"][end] for end in ("low", "high"))
        assert f"{low:.3f} to {high:.3f}" in text
    assert f"{expected['as_published']['uncertainty']['p']:.4f} one-sided" in text
    assert expected["what_differs"][0] in text


def test_its_page_opens_offline_and_under_a_strict_policy(imported: tuple[ReportInfo, list[int]]) -> None:
    report = imported[0].folder
    page = Page(report / "report.html")
    assert not {"script", "style", "iframe", "object"} & {tag for tag, _ in page.tags}
    anchors = {attributes.get("id") for _, attributes in page.tags}
    for _, attributes in page.tags:
        assert not any(name == "style" or name.startswith("on") for name in attributes)
        for name in ("href", "src"):
            if link := attributes.get(name):
                assert (report / link).is_file() or link.removeprefix("#") in anchors, link
    assert "1 Mar 2026, 12:00 UTC" in page.text
    assert "url(" not in (report / "report.css").read_text(encoding="utf-8")
    # Well-formed: every tag of it is closed.
    body = (report / "report.html").read_text(encoding="utf-8").partition('<body class="report">')[2]
    ElementTree.fromstring(f"<body>{body.partition('</html>')[0]}")


def test_the_methods_say_what_was_done(imported: tuple[ReportInfo, list[int]]) -> None:
    methods = (imported[0].folder / "methods.md").read_text(encoding="utf-8")
    for said in (
        "The answers were read from an import in the layout of the published",
        "300 answers by 30 participants are analysed; left out were none",
        "Wilcoxon's signed-rank test",
        "Holm's method over 3 comparisons",
        f"pingouin {version('pingouin')}",
        "The seed of every bootstrap is 3",
    ):
        assert said in methods, said
    cited = set(re.findall(r"\\?\[([A-Z][A-Za-z]*\d\d)\]", methods))
    assert cited == {
        *(
            "ET93",
            "Owe07",
            "Wil45",
            "Ker14",
            "CP34",
            "CGM11",
            "RMC09",
            "MW47",
            "MW92",
            "Hol79",
            "HL63",
            "HWC14",
            "Bau72",
            "PS10",
            "Kra56",
        ),
        *(
            "FL14",
            "Nel84",
            "Obu97",
            "Kri04",
            "Sch10",
            "Fle71",
            "Gwe08",
            "MW96",
            "Spe10",
            "Wil27",
            "DS79",
            "BT52",
        ),
    }
    for key in cited:
        assert f"- [{key}] {REFERENCES[key]}" in methods


def test_imported_answers_are_not_given_a_procedure_that_nobody_knows(
    imported: tuple[ReportInfo, list[int]],
) -> None:
    methods = (imported[0].folder / "methods.md").read_text(encoding="utf-8")
    assert "an import in the layout of the published Human Navigation Turing Test" in methods
    assert "rest on that" in methods
    page = (imported[0].folder / "report.html").read_text(encoding="utf-8")
    for invented in ("could be answered at any time", "gave consent", "opened"):
        assert invented not in page.replace("how many sessions were opened", ""), invented


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
    assert "No pair has an answer of mode live" in (tmp_path / "report" / "methods.md").read_text()


def test_what_experimenters_type_stays_text(nav: Database, tmp_path: Path) -> None:
    with nav.reading() as session:
        build_report(session, "nav", tmp_path / "report")
    page = Page(tmp_path / "report" / "report.html")
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script>alert(1)</script> & *stars*" in page.text
    methods = (tmp_path / "report" / "methods.md").read_text(encoding="utf-8")
    assert r"\<script\>alert(1)\</script\> \& \*stars\*" in methods
    for said in (
        "by condition: human-hybrid (6)",
        "6 of them have a member that is right",
        "Pairs were shown side by side, in a random order drawn anew for each participant",
        "5 points, from 1 extremely certain to 5 extremely uncertain",
    ):
        assert said in methods, said


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


def made_of(folder: Path, *tables: pd.DataFrame, **options: object) -> tuple[ReportInfo, Page]:
    """The report of tables that are in no database."""
    read = [(study, frame) for table in tables for study, frame in split(table, "answers.csv")]
    studies, frames = joined(read)
    given = {"seed": 1, "mode": None, "made_at": NOW, "resamples": 50, **options}
    info = write_report(studies, frames, folder, **given)  # type: ignore[arg-type]
    return info, Page(folder / "report.html")


@pytest.fixture(scope="module")
def gold() -> pd.DataFrame:
    return hntt_responses(read_hntt(HNTT))


@pytest.fixture(scope="module")
def coin() -> pd.DataFrame:
    """Verdicts of a judge that takes `a` each time, and one on a pair that is nowhere."""
    pairs = [(study, f"q{number}") for study in ("hntt-1", "hntt-2") for number in range(1, 11)]
    rows = [
        {
            "judge": "coin <b>",
            "run": "",
            "study": study,
            "pair": pair,
            "stimulus": "",
            "choice": "a",
            "score": "0.7",
        }
        for study, pair in pairs
    ]
    return check_verdicts(pd.DataFrame([*rows, {**rows[0], "pair": "nowhere"}]))


@pytest.fixture(scope="module")
def judged(
    gold: pd.DataFrame, coin: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ReportInfo, Page]:
    """The report of the published answers with a judge beside people."""
    with pytest.MonkeyPatch.context() as patch:
        take_few(patch)  # as tests do, which make it again
        return made_of(tmp_path_factory.mktemp("judged"), gold, verdicts=coin)


def test_a_file_of_three_studies_has_a_report_without_a_study_in_the_database(tmp_path: Path) -> None:
    rows = [*person("p1", "aab"), *person("p2", "ab-"), *person("p3", "a", excluded="too-fast")]
    rows += person("p4", "aa", kind="practice")
    others = {"t": (("p6", "ab"), ("p7", "bb")), "u": (("p8", "aa"), ("p9", "ab"), ("p10", "aab"))}
    rows += [row for study, people in others.items() for one in people for row in person(*one, study=study)]
    path = write_csv(tmp_path / "answers.csv", rows)
    studies, frames = joined(list(read_file(str(path))))
    info = write_report(studies, frames, tmp_path / "report", seed=1, mode=None, made_at=None, resamples=50)
    assert (info.n_answers, info.n_participants) == (17, 7)
    page = Page(tmp_path / "report" / "report.html")
    assert "Of 9 answers to trials by 4 participants, 6 answers by 2 participants are analysed" in page.text
    assert "The answers were read from the file answers.csv." in page.text
    assert "All studies at once (Kruskal-Wallis)" in page.text
    assert "s 2, t 2, u 3" in page.text
    flow = [
        tuple(row.values()) for row in rows_in(tmp_path / "report/tables/flow.csv") if row["study"] == "s"
    ]
    assert flow == [
        ("s", "Participants (live)", "began", "4"),
        ("s", "Participants (live)", "left out: without an answer that counts", "2"),
        ("s", "Participants (live)", "analysed", "2"),
        ("s", "Answers", "to trials", "9"),
        ("s", "Answers", "left out: to practice pairs", "2"),
        ("s", "Answers", "left out: excluded: too-fast", "1"),
        ("s", "Answers", "are in the numbers", "6"),
    ]


def test_distances_by_signatures_stand_against_choices_and_a_refusal_is_said(tmp_path: Path) -> None:
    votes = [
        answer(
            participant=f"P{at}", session=f"s{at}", source_a="human", source_b="far", truth="a",
            choice="ab"[at % 4 == 0], stimulus_a="h", stimulus_b="f", condition="human-far",
        )
        for at in range(8)
    ]  # fmt: skip
    clips = [*clips_of("human", 0.3, players=3, clips=3), *clips_of("far", 1.2, players=1, clips=3)]
    moves = compare_signatures(clips, resamples=20)
    _, page = made_of(tmp_path / "report", checked(*votes), signatures=moves)
    kept = {row["metric"]: row for row in rows_in(tmp_path / "report/tables/closing.csv")}
    change = moves.signatures[0].distances[0]
    assert float(kept["velocity-change"]["distance"]) == pytest.approx(change.distance)
    assert kept["velocity-change"]["distance_low"] == ""
    assert float(kept["velocity-change"]["taken_for_human"]) == 0.25
    assert "People among themselves" in page.text
    partly = replace(
        moves.signatures[0], needs="positions have no heading_rad", lacking=(Lacking("human", 8, 9),)
    )
    moves = replace(moves, signatures=(partly, *moves.signatures[1:]))
    _, page = made_of(tmp_path / "report", checked(*votes), signatures=moves)
    said = "Computed from 8 of 9 clips of human: positions have no heading_rad in the others."
    assert said in page.text
    assert said in next(signature_figures(moves)).caution
    _, page = made_of(
        tmp_path / "report", checked(answer()), signatures=NoSignatures("nobody moves in any clip")
    )
    assert "No signatures: Nobody moves in any clip." in page.text
    left = {path.name for path in (tmp_path / "report").rglob("*") if path.is_file()}
    assert not left & {"signatures.json", "signatures.csv", "map.svg", "closing.json"}


def test_distances_of_play_have_a_section_and_stand_against_choices(tmp_path: Path) -> None:
    votes = [
        answer(
            participant=f"P{at}", session=f"s{at}", source_a="human", source_b="mean", truth="a",
            choice="ab"[at % 4 == 0], stimulus_a="h", stimulus_b="f", condition="human-mean",
        )
        for at in range(8)
    ]  # fmt: skip
    play = compare_play([*PEOPLE, *SAME, *MEAN], resamples=20)
    _, page = made_of(tmp_path / "report", checked(*votes), play=play)
    assert "How sources play, given what they perceive, against people" in page.text
    offers = play.signatures[0]
    kept = [
        row
        for row in rows_in(tmp_path / "report/tables/play_signatures.csv")
        if row["signature"] == offers.signature
    ]
    assert {row["source"]: float(row["distance"]) for row in kept} == pytest.approx(
        {each.source: each.distance for each in offers.distances}
    )
    assert {row["n_matches"] for row in kept} == {"20"}
    against = {row["metric"]: row for row in rows_in(tmp_path / "report/tables/closing.csv")}
    assert float(against[offers.signature]["taken_for_human"]) == 0.25
    assert against[offers.signature]["unit"] == "matches"
    for name in ("play", "playmap"):
        assert (tmp_path / f"report/figures/{name}.svg").is_file()
    _, page = made_of(tmp_path / "report", checked(answer()), play=NoSignatures("all 3 are excluded"))
    assert "No signatures: All 3 are excluded." in page.text
    left = {path.name for path in (tmp_path / "report").rglob("*") if path.is_file()}
    assert not left & {"play_signatures.json", "play_signatures.csv", "playmap.svg"}


def test_a_report_says_how_many_matches_are_left_out_and_why(tmp_path: Path) -> None:
    note = "1 match is left out: a person in it is excluded (rule: automatic-moves 1)."
    play = compare_play([*PEOPLE, *MEAN], resamples=20)
    _, page = made_of(tmp_path / "report", checked(answer()), play=play)
    assert "left out: a person" not in page.text
    left_out = replace(play, notes=(note, *play.notes))
    _, page = made_of(tmp_path / "report", checked(answer()), play=left_out)
    assert note in page.text


def test_a_study_that_is_given_twice_is_refused(gold: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="study 'hntt-1' is in two targets: give it once"):
        made_of(tmp_path / "report", gold, gold)


def test_the_flow_of_a_study_begins_with_its_sessions(nav: Database, tmp_path: Path) -> None:
    def for_a(_pair: str, left: str) -> dict[str, str]:
        return {"choice": take("a", left)}

    with nav.transaction() as session:
        walk(session, "nav", for_a, seed=1)
        walk(session, "nav", for_a, seed=2, n_trials=3)
        walk(session, "nav", for_a, seed=3, decision="refuse")
    with nav.reading() as session:
        build_report(session, "nav", tmp_path / "report")
    text = Page(tmp_path / "report" / "report.html").text
    said = "Of 3 who arrived, 2 consented, 2 passed screening, 2 began, 1 finished; 2 are analysed."
    assert f"Sessions of mode live: {said} Lost: of those who arrived, 1 declined;" in text
    assert "1 of the analysed had not finished" in text
    flow = rows_in(tmp_path / "report/tables/flow.csv")
    assert [row["step"] for row in flow if row["of"] == "Participants (live)"] == [
        "arrived", "left out: declined", "consented", "passed screening", "began", "left out: have not finished",
        "finished", "analysed (1 not finished)",
    ]  # fmt: skip


@pytest.mark.exhaustive
def test_the_same_answers_give_the_same_bytes(
    gold: pd.DataFrame, coin: pd.DataFrame, judged: tuple[ReportInfo, Page], tmp_path: Path
) -> None:
    shuffled = gold.sample(frac=1, random_state=3)
    # The studies are told in the order in which they come.
    shuffled = pd.concat([shuffled[shuffled["study"] == name] for name in ("hntt-1", "hntt-2")])
    again, _ = made_of(tmp_path / "again", shuffled, verdicts=coin)
    one, two = (
        {file: hashlib.sha256((info.folder / file).read_bytes()).hexdigest() for file in info.files}
        for info in (judged[0], again)
    )
    assert one == two


def test_published_and_corrected_stand_side_by_side(judged: tuple[ReportInfo, Page]) -> None:
    """Source: data/hntt/published.json, what was printed and what is right."""
    _, page = judged
    for row in (
        "mean of hntt-1 0.83889 0.83889",
        "U 341.0 559.0, 341.0 3",
        "p 0.0456 one-sided 0.0912 two-sided 1",
        "U 257.5 257.5, 642.5 3",
        "p 0.0022 one-sided 0.0043 two-sided 1",
        "mean of hntt-1 0.78226 0.80833 2",
        "mean of hntt-2 0.62097 0.64167 2",
        "values of hntt-1 31 30 2",
        "U 328.0 602.0, 298.0 3",
        "p 0.0128 one-sided 0.0190 two-sided 1",
    ):
        assert row in page.text, row
    for said in (
        "are one-sided",
        "a 31st, empty participant",
        "The smaller of the two U values",
        "Ties in the majority",
    ):
        assert said in page.text, said


def test_judges_are_compared_with_people(judged: tuple[ReportInfo, Page]) -> None:
    info, page = judged
    judges = {"judges.json", "tables/judges.csv", "figures/judges.svg", "figures/judges.png"}
    assert {*FILES, *judges} <= {*info.files}
    found = json.loads((info.folder / "judges.json").read_text(encoding="utf-8"))["judges"][0]
    group = found["groups"][0]
    row = next(
        row
        for row in rows_in(info.folder / "tables/judges.csv")
        if (row["scope"], row["measure"]) == ("all", "label_accuracy")
    )
    numbers = group["measures"]["label_accuracy"]
    assert float(row["value"]) == numbers["corrected"]["value"]
    assert float(row["ceiling"]) == numbers["ceiling"]["value"]
    shown = f"coin <b> majority 20 {numbers['as_published']['value']:.3f} {numbers['corrected']['value']:.3f}"
    assert shown in page.text
    assert "Verdicts of coin <b> that name nothing known: 1, first " in page.text
    assert "alternative annotator test" in (info.folder / "methods.md").read_text(encoding="utf-8")


def test_the_same_people_in_three_studies_are_compared_with_themselves(tmp_path: Path) -> None:
    letters = ("aabb", "abab", "aaab", "abbb", "aaaa", "bbab", "baaa")
    tables = [
        checked(
            *(
                row
                for n in range(7)
                for row in person(f"p{n}", letters[(n * (number + 1)) % 7], study=f"s{number}")
            )
        )
        for number in range(3)
    ]
    _, page = made_of(tmp_path / "report", *tables)
    assert "The same people in both studies: Wilcoxon's signed-rank test" in page.text
    assert "All studies at once, the same people in each (Friedman), with Kendall's W" in page.text
    read = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))["comparisons"][0]
    apart = read["paired"]["difference"]
    ends = f"{apart['interval']['low']:z.2f} to {apart['interval']['high']:z.2f}"
    headline = f"s0 less s1 (7 people in both), accuracy: {signed(apart['mean'])} ({ends}), p "
    assert headline in page.text, "direction and size come first"
    assert "28 participants" not in page.text
    assert "56 answers, 7 participants (7 in both), 4 pairs" in page.text
    assert "Mann-Whitney" not in page.text
    assert "Kruskal-Wallis" not in page.text
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    rows = rows_in(tmp_path / "report/tables/comparisons.csv")
    assert {(row["compared_as"], row["n_paired"]) for row in rows} == {("paired", "7")}
    for row, one in zip(rows, results["comparisons"], strict=True):
        test = one["paired"]
        for cell, value in ((row["v"], test["v"]), (row["p_paired"], test["p"])):
            assert cell == "" if value is None else float(cell) == value
        assert float(row["paired_shift"]) == test["shift"]["value"]
    assert any(one["paired"]["v"] is not None for one in results["comparisons"])


def test_conditions_are_compared_with_the_numbers_of_the_json(tmp_path: Path) -> None:
    letters = ("aabb", "abab", "aaab", "abbb", "aaaa", "bbab", "baaa")

    def rows(*, apart: bool) -> pd.DataFrame:
        return checked(
            *(
                row | dict.fromkeys(("pair", "trial"), f"{condition}-{row['pair']}")
                for n in range(7)
                for place, condition in enumerate(("human-hybrid", "human-symbolic", "human-bot"))
                if not apart or n % 3 == place
                for row in person(f"p{n}", letters[(n * (place + 1)) % 7], condition=condition)
            )
        )

    _, page = made_of(tmp_path / "report", rows(apart=False))
    assert "The same people in both conditions: Wilcoxon's signed-rank test" in page.text
    size = r"[-+]?0\.\d\d \(-?0\.\d\d to -?0\.\d\d\), p "
    assert re.search(rf"human-bot less human-hybrid \(7 people in both\), accuracy: {size}", page.text)
    assert "over the 3 comparisons of conditions, each measure by itself" in page.text
    assert "Conditions were compared within the participants who answered in both" in page.text
    assert "Mann-Whitney" not in page.text
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    wanted = results["studies"][0]["conditions"]["comparisons"]
    in_csv = rows_in(tmp_path / "report/tables/conditions.csv")
    assert [(row["first"], row["second"], row["measure"]) for row in in_csv] == [
        (*one["conditions"], one["measure"]) for one in wanted
    ]
    for row, one in zip(in_csv, wanted, strict=True):
        for cell, value in (
            (row["v"], one["paired"]["v"]),
            (row["p_paired"], one["paired"]["p"]),
            (row["p_holm"], one["p_holm"]),
            (row["paired_shift_low"], one["paired"]["shift"]["low"]),
            (row["paired_difference_low"], one["paired"]["difference"]["interval"]["low"]),
        ):
            assert cell == "" if value is None else float(cell) == value
        assert row["u1"] == ""

    _, page = made_of(tmp_path / "apart", rows(apart=True))
    assert (
        "Conditions that different participants answered in were compared by the Mann-Whitney test"
        in page.text
    )
    assert "signed-rank test, two-sided [Wil45], with the Hodges-Lehmann" not in page.text
    assert "human-bot against human-hybrid (2 and 3 people), accuracy: higher in" in page.text
    assert {row["v"] for row in rows_in(tmp_path / "apart/tables/conditions.csv")} == {""}


def estimates_in(section: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Source for the names of estimates.csv: every value with an interval in the JSON, by the keys that lead to it."""
    if isinstance(section, list):
        for place, item in enumerate((item for item in section if isinstance(item, dict)), start=1):
            texts = [text for key, text in item.items() if isinstance(text, str) and key != "reason"]
            yield from estimates_in(item, (*path, ", ".join(texts) or str(item.get("uncertainty", place))))
    elif isinstance(section, dict):
        if "interval" in section:
            yield ".".join(path), section
        for key, value in section.items():
            if key not in ("participants", "pairs", "rows", "positions", "disagreements"):
                yield from estimates_in(value, (*path, key))


def test_the_tables_hold_the_same_cells_as_the_json(judged: tuple[ReportInfo, Page]) -> None:
    report = judged[0].folder
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))

    def cells(name: str, *columns: str) -> list[tuple[str, ...]]:
        return [tuple(row[column] for column in columns) for row in rows_in(report / f"tables/{name}.csv")]

    def text(*values: object) -> tuple[str, ...]:
        return tuple("" if value is None else str(value) for value in values)

    further = ("certainty", "bias", "agreement", "bradley_terry", "ties", "ranking")
    assert cells("estimates", "study", "number", "n", "value", "low", "high") == [
        text(
            study["study"],
            name,
            one["n"],
            one.get("value", one.get("mean")),
            *list(one["interval"].values())[:2],
        )
        for study in results["studies"]
        for name, one in estimates_in({key: study[key] for key in further})
    ]
    plain = ("measure", "trials", "n1", "n2", "u1", "u2", "p", "p_two_sided", "p_holm", "n_family", "effect")
    assert cells("comparisons", *plain) == [
        text(*(one[key] for key in plain)) for one in results["comparisons"]
    ]
    assert cells("comparisons", "first", "second", "shift", "shift_low", "effect_high", "p_permutation") == [
        text(
            *(*one["studies"], one["shift"]["value"], one["shift"]["low"]),
            *(one["effect_interval"]["high"], one["permutation"]["p"]),
        )
        for one in results["comparisons"]
    ]
    assert cells("preferences", "participant", "source", "preference") == [
        text(person["participant"], one["source"], one["preference"])
        for study in results["studies"]
        for person in study["participants"]
        for one in person["preferences"]
    ]
    assert cells("measures", "measure", "trials", "source", "n", "mean", "low", "sd_ddof1") == [
        text(
            name,
            one.get("trials"),
            one.get("source"),
            one["n"],
            one["mean"],
            one["interval"]["low"],
            one["sd_ddof1"],
        )
        for study in results["studies"]
        for name, one in [
            *((name, study[name]) for name in ("accuracy", "uncertainty", "uncertainty_all")),
            *(("preference", one) for one in study["preferences"]),
        ]
    ]


def test_answers_of_no_difference_are_said_in_the_report_and_in_its_methods(tmp_path: Path) -> None:
    rows = [
        answer(participant=f"p{n}", pair=f"q{q}", choice=("tie", "a", "b")[(n + q) % 3])
        for n in range(5)
        for q in range(4)
    ]
    _, page = made_of(tmp_path / "report", checked(*rows))
    said = " ".join(page.text.split())
    n_tie = sum(row["choice"] == "tie" for row in rows)
    assert f"{n_tie} of 20 votes say that there is no difference" in said
    assert "With half a point for each such vote the accuracy is" in said
    participants = rows_in(tmp_path / "report/tables/participants.csv")
    assert sum(int(row["n_tie"]) for row in participants) == n_tie
    labels = rows_in(tmp_path / "report/tables/labels.csv")
    assert sum(int(row["votes_tie"]) for row in labels) == n_tie
    assert f"{n_tie} of 20 votes. These are votes for neither member" in said


def test_every_further_result_has_a_section(judged: tuple[ReportInfo, Page]) -> None:
    info, page = judged
    for said in (
        "How far it holds: participants, pairs, and all answers",
        "pooling them overstates the evidence",
        "Certainty and accuracy",
        "Side, order and learning",
        "Agreement of participants",
        "Labels by Dawid and Skene's model",
        "Sources by Bradley and Terry's model",
        "By condition, source, arm and pair",
    ):
        assert said in page.text, said
    results = json.loads((info.folder / "results.json").read_text(encoding="utf-8"))
    alpha = results["studies"][0]["agreement"]["choice"]["alpha"]
    ends = alpha["interval"]
    assert f"{alpha['value']:.2f} ({ends['low']:.2f} to {ends['high']:.2f})" in page.text
    estimates = {(r["study"], r["number"]): r for r in rows_in(info.folder / "tables/estimates.csv")}
    assert float(estimates["hntt-1", "agreement.choice.alpha"]["value"]) == alpha["value"]
    breakdown = rows_in(info.folder / "tables/breakdowns.csv")
    assert {row["by"] for row in breakdown} == {"condition", "source", "arm", "pair"}


DEGENERATE = {
    "one answer": [answer()],
    "only blanks": [*person("p1", "--"), *person("p2", "--")],
    "all tied, with strange names": [
        {**row, "study": "<b>$x$ 名前", "condition": "{{ 7*7 }}"}
        for row in [*person("ü\u202e", "ab"), *person("p2", "ba")]
    ],
    "all correct": [row for n in range(4) for row in person(f"p{n}", "aaa")],
    "nothing counts": [answer(kind="practice"), answer(participant="p2", excluded="rule")],
    "no truth": [{**row, "truth": "", "uncertainty": ""} for row in person("p1", "ab")],
    "nothing known": [
        {**row, "truth": "", "source_a": "", "source_b": "", "condition": "", "uncertainty": ""}
        for row in person("p1", "ab")
    ],
}
MOST_IS_MISSING = ("all tied, with strange names", "nothing counts", "nothing known")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(rows, id=name, marks=[] if name in MOST_IS_MISSING else pytest.mark.exhaustive)
        for name, rows in DEGENERATE.items()
    ],
)
def test_degenerate_answers_have_a_report_that_says_what_is_missing(
    rows: Sequence[dict[str, str]], tmp_path: Path
) -> None:
    _, page = made_of(tmp_path / "report", checked(*rows), resamples=20)
    words = page.text.lower().split()
    assert "nan" not in words
    assert "49" not in words
    assert not {"b", "script"} & {tag for tag, _ in page.tags}


def test_a_report_without_resamples_says_so(tmp_path: Path) -> None:
    rows = [row for choices in ("aab", "abb", "bba", "aaa") for row in person(choices, choices)]
    _, page = made_of(tmp_path / "report", checked(*rows), resamples=0)
    assert "no resamples asked for" in page.text
