"""The pre-registration of a study: its parts from its file, blanks where that does not say, as Markdown and PDF."""

from pathlib import Path
from typing import Any

import pytest

from app.core.database import Database
from app.reports.documents.document import Chapter, Document, Grid, Items, blank, blanks_in
from app.reports.documents.making import made_prereg
from app.reports.documents.pdf import noted, pdf_of
from app.reports.study_facts import study_facts
from tests.factories import NOW, load_file, study_file

H1: dict[str, Any] = {
    "id": "h1",
    "says": "Hybrids are harder.",
    "compare": ["human-hybrid", "hybrid-symbolic"],
    "measure": "uncertainty",
    "direction": "less",
    "test": "wilcoxon",
    "alpha": 0.01,
    "correction": "holm",
}
H2: dict[str, Any] = {
    "id": "h2",
    "compare": ["all", "chance"],
    "measure": "accuracy",
    "direction": "greater",
    "test": "wilcoxon",
}
ASPREDICTED = [
    "Data collection",
    "Hypothesis",
    "Dependent variable",
    "Conditions",
    "Analyses",
    "Outliers and exclusions",
    "Sample size",
    "Other",
    "Name",
    "Type of study",
]
OSF = ["Study information", "Design plan", "Sampling plan", "Variables", "Analysis plan", "Other"]


def made(database: Database, tmp_path: Path, template: str = "aspredicted", **changes: object) -> Document:
    with database.transaction() as session:
        load_file(session, tmp_path, **changes)
    with database.reading() as session:
        return made_prereg(session, "nav", template, NOW).document


def test_aspredicted_has_its_parts_in_its_order(study: str, database: Database, tmp_path: Path) -> None:
    document = made(
        database, tmp_path, hypotheses=[H1, H2], exclude="default", completion={"minutes": 12, "pay": "£2.50"}
    )
    text = document.markdown()
    assert [one.heading.partition(". ")[2] for one in document.chapters] == ASPREDICTED
    for said in (
        "No data of the study itself had been collected",
        "- h1: Hybrids are harder.",
        "- h2: accuracy over all main trials is above chance (50%).",
        "h1: uncertainty, human-hybrid against hybrid-symbolic, by Wilcoxon's signed-rank test over participants, "
        "one-sided (human-hybrid lower), alpha 0.01, p corrected by Holm's method",
        "| human-hybrid | 6 |",
        "frozen at launch",
        "Duration 12 minutes.",
        "Pay: £2.50.",
        "h2: smallest difference of interest 0.1 (ten points).",
    ):
        assert said in text, said
    assert "where participants are recruited" in blanks_in(document)
    assert "the pay" not in blanks_in(document)


def test_osf_has_its_parts_in_its_order(study: str, database: Database, tmp_path: Path) -> None:
    document = made(database, tmp_path, "osf", hypotheses=[H1])
    assert [one.heading for one in document.chapters if one.level == 1] == OSF
    assert "### Randomization" in document.markdown()


def test_without_hypotheses_their_places_are_blanks(study: str, database: Database, tmp_path: Path) -> None:
    assert "the hypotheses; the study file has none" in blanks_in(made(database, tmp_path))


def test_the_plan_of_expected_shares_has_its_curve(study: str, database: Database, tmp_path: Path) -> None:
    asked = {**H1, "measure": "preference", "source": "hybrid", "expect": [0.5, 0.7], "alpha": 0.05}
    text = made(database, tmp_path, hypotheses=[asked]).markdown()
    assert "h1, expecting 0.5 and 0.7: " in text
    assert "each with 4 main trials on a side" in text
    assert "| participants | power | 95% interval |" in text


def test_the_registered_version_is_named_by_its_hash(study: str, database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_file(session, tmp_path, hypotheses=[H1])
    with database.reading() as session:
        document, facts = made_prereg(session, "nav", "osf", NOW).document, study_facts(session, "nav")
    assert facts.versions[-1].sha256 in document.about[0]


def test_texts_from_outside_are_shown_as_they_are() -> None:
    document = Document(
        "A *title*",
        (),
        (Chapter("One", (Items(("<b>x</b>",)), Grid(("a|b",), (("c",),)), blank("this"), blank("this"))),),
    )
    assert document.markdown() == (
        "# A \\*title\\*\n\n## One\n\n- \\<b\\>x\\</b\\>\n\n| a\\|b |\n| --- |\n| c |\n\n"
        "[TO BE FILLED IN: this]\n\n[TO BE FILLED IN: this]\n"
    )
    assert blanks_in(document) == ("this",)


def test_letters_that_the_pdf_cannot_show_are_said_in_it() -> None:
    def notes(title: str) -> tuple[str, ...]:
        return noted(Document(title, ("About.",), ())).about[1:]

    assert notes("Größe, año, £ “x” – …") == ()
    assert [len(notes(title)) for title in ("どちらが人間？", "أيهما إنسان؟")] == [1, 1]


@pytest.mark.slow
def test_the_pdf_is_the_same_bytes_again_and_goes_over_pages() -> None:
    long = Document(
        "T" * 100, (), tuple(Chapter(f"Part {at}", ("word " * 300, "x" * 300)) for at in range(6))
    )
    data = pdf_of(long, NOW)
    assert data.startswith(b"%PDF-")
    assert data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") > 1
    assert pdf_of(long, NOW) == data


GAME: dict[str, Any] = {"id": "play", "task": "game", "game": "glee-bargaining", "seats": "any"}
NO_PAIRS: dict[str, Any] = dict.fromkeys(("sample", "trials"))
AGREE = {"id": "agree", "ask": "Choose agree here.", "scale": "agreement", "expect": "agree"}


def test_matches_and_walks_have_their_measures_and_say_nothing_of_clips(
    study: str, database: Database, tmp_path: Path
) -> None:
    walk = {"id": "walk", "task": "walk"}
    text = made(
        database, tmp_path, "osf", **NO_PAIRS, blocks=[{**GAME, "reasons": "required"}, walk]
    ).markdown()
    for said in (
        "(block play): every move with its time, the reason that is asked with each move, and what each person earned",
        "Of each walk (block walk): whether the goal was reached",
        "Players in block play are told that some of the others may be programs, and not which.",
        "A match in which a person is left out counts in no number",
    ):
        assert said in text, said
    assert "clips" not in text


def test_who_is_told_of_a_source_is_said(study: str, database: Database, tmp_path: Path) -> None:
    named = made(database, tmp_path, "osf", **NO_PAIRS, blocks=[{**GAME, "disclosure": "named"}]).markdown()
    assert "Players in block play are told of each other player whether a program plays." in named
    assert "are not told the source" not in named
    trials = {**study_file()["trials"], "feedback": True}  # type: ignore[dict-item]
    told = made(database, tmp_path, "osf", trials=trials).markdown()
    assert "After each practice trial of block trials they are told whether they were right." in told


def test_checks_that_leave_out_or_end_are_among_the_exclusions(
    study: str, database: Database, tmp_path: Path
) -> None:
    def of(failed: str) -> str:
        checks = {"questions": [AGREE], "failed": failed, "after": 1}
        trials = {**study_file()["trials"], "attention": checks}  # type: ignore[dict-item]
        (part,) = [
            one
            for one in made(database, tmp_path, trials=trials).chapters
            if one.heading.endswith("exclusions")
        ]
        return Document("", (), (part,)).markdown()

    assert "With 1 wrong answer to attention checks in block trials a session is left out of" in of("exclude")
    assert "With 1 wrong answer to attention checks in block trials a session ends" in of("end")
    assert "With 1 wrong" not in of("flag")


def test_studies_whose_participants_are_kept_out_are_named_with_any_recruiter(
    study: str, database: Database, tmp_path: Path
) -> None:
    rule = {"from": "other", "parameters": {"participant": "rid"}, "not_if_in": ["earlier"]}
    document = made(database, tmp_path, recruitment=rule)
    assert "People who took part in earlier are not taken." in document.markdown()
    assert "where participants are recruited" in blanks_in(document)
