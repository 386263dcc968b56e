"""Numbers in texts come from the design: filled in for participants, and a text that contradicts the design is told."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.file.drafts import check_draft
from app.studies.file.load import StudyDesign
from app.studies.file.placeholders import fill, filled
from app.studies.file.templates import TEMPLATES, unfilled
from app.studies.numbers import number_checks
from app.studies.versions import stimulus_facts
from tests.factories import open_study, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database
Library = tuple[ClipStore, Sequence[ImportedClip]]
CONSENT = (
    "# Taking part\n\nYou watch {pairs} pairs in {minutes} minutes for {pay}. {Pairs} {} {code} {pairs\n"
)
GERMAN = {
    "title": "Welche?",
    "consent": {"text": "{pairs} Paare, {minutes} Minuten, {pay}\n"},
    "trials": {"questions": [{"id": "choice", "ask": "Welches?"}]},
    "completion": {"message": "Danke für {trials}.", "pay": "drei Pfund"},
}
WORDS = {
    "consent": {"version": "1", "text": CONSENT},
    "completion": {"message": "You judged {trials}.\n", "minutes": 12, "pay": "£3", "code": "DONE42"},
    "background": None,
    "instructions": None,
    "trials": {"questions": [{"id": "choice", "type": "2afc", "ask": "Which of {pairs}?"}]},
}


def test_numbers_are_filled_in_on_every_page_in_each_language_and_other_braces_stay(
    database: Database, library: Library, client: TestClient, tmp_path: Path
) -> None:
    with database.transaction() as session:
        loaded = open_study(session, tmp_path, library[1], **WORDS, languages={"en": ".", "de": GERMAN})
    client.headers["accept-language"] = "en"
    walk = Walk(client, loaded.slug)
    assert "You watch 10 pairs in 12 minutes for £3. {Pairs} {} {code} {pairs" in walk.html
    assert "Which of 10?" in walk.to("trial-2").html
    assert "You judged 10." in walk.to("end").html
    german = Walk(client, loaded.slug, lang="de").html
    assert "10 Paare, 12 Minuten, drei Pfund" in german


def design_of(database: Database, **changes: Any) -> StudyDesign:
    with database.reading() as session:
        facts = stimulus_facts(session)
    keys = {key: value for key, value in study_file(**changes).items() if value is not None}
    design = check_draft(keys, facts).design
    assert design is not None, check_draft(keys, facts).faults
    return design


@pytest.mark.usefixtures("study")
def test_a_version_keeps_what_was_written_and_its_hash(database: Database) -> None:
    design = design_of(database, **WORDS)
    assert design.consent.text == CONSENT.strip()
    before = design.sha256()
    read = filled(design)
    assert (read.blocks[0].asked[0].ask, read.completion.pay) == ("Which of 10?", "£3")
    assert (design.sha256(), filled(read)) == (before, read)
    plain = design_of(database)
    assert filled(plain) is plain
    assert fill("{minutes} and {trial}", {}) == "{minutes} and {trial}"


@pytest.mark.usefixtures("study")
def test_a_text_that_contradicts_the_design_is_told_with_its_place(database: Database) -> None:
    def told(consent: str, **completion: object) -> list[str]:
        keys = {"consent": {"version": "1", "text": consent}, "completion": {"code": "X", **completion}}
        return [f"{check.detail} {check.action}" for check in number_checks(design_of(database, **keys))]

    for fine in (
        "You will see 10 pairs, ten pairs, 11 pairs, 8 to 12 pairs; {pairs} pairs",
        "This takes about 12 minutes; you have 5 minutes for each bid.",
        "You get £3 for £3.",
    ):
        assert told(fine, minutes=12, pay="£3") == []
    assert told("This takes 20 minutes, for £9") == []
    assert told("You will see 20 pairs.", minutes=12) == [
        "'20 pairs' stands and 10 are planned, in the consent text. Correct the text, or write {pairs}, {minutes} or "
        "{pay} in it. design?at=consent.text"
    ]
    (long,) = told("It takes about twenty minutes.", minutes=12)
    assert "'takes about twenty minutes' stands and 12 minutes are set" in long
    assert "£9 stands and the pay is" in told("For £9", pay="£3")[0]


@pytest.mark.usefixtures("study")
def test_a_contradiction_is_told_in_each_language_and_however_amounts_are_written(database: Database) -> None:
    def told(consent: str, pay: str) -> str:
        completion = {"code": "X", "minutes": 12, "pay": pay}
        design = design_of(database, consent={"version": "1", "text": consent}, completion=completion)
        return " ".join(check.detail for check in number_checks(design))

    for pay, same, other in (
        ("2,50 €", "Sie erhalten 2,50 Euro (€2.50, EUR 2.5).", "Sie erhalten 5 €."),
        ("£3", "You get 3 pounds, that is GBP 3.00.", "You get 9 pounds."),
        ("£3", "You get £3.", "You get $3."),
        ("1000円", "謝礼は1,000円です。", "謝礼は500円です。"),
        ("$1,000.50", "You get $1000.50.", "You get $1,000.05."),
    ):
        assert told(same, pay) == "", same
        assert "stands and the pay is" in told(other, pay), other
    for text in (
        "You will see fifteen pairs.", "Judge twenty-four video pairs.", "Sie sehen 15 Paare.", "15組の動画を見ます。",
        "تشاهد 15 زوجا من المقاطع.", "تشاهد ٧ أزواج.",
    ):  # fmt: skip
        assert "are planned" in told(text, "£3"), text
    for text in (
        "It takes fifteen minutes.", "This is a 20-minute study.", "Die Studie dauert ca. 20 Minuten.",
        "所要時間は約20分です。", "20分ほどかかります。", "تستغرق الدراسة نحو 20 دقيقة.",
    ):  # fmt: skip
        assert "12 minutes are set" in told(text, "£3"), text
    for text in (
        "10組の動画、所要時間は約12分です。", "تشاهد 10 أزواج. تستغرق الدراسة نحو ١٢ دقيقة.",
        "A 12-minute session: 8–12 pairs.",
        "You have 20 minutes for each bid; after 30分 nothing happens.",
    ):  # fmt: skip
        assert told(text, "£3") == "", text


def test_templates_take_their_numbers_from_the_design_and_say_which_are_missing() -> None:
    for name, template in TEMPLATES.items():
        keys = template.keys()
        assert "[NUMBER] pairs" not in str(keys)
        missing = [each.place for each in unfilled(keys) if each.text == "{minutes}"]
        assert missing == ([("completion", "minutes")] if "{minutes}" in str(keys) else []), name
        keys = {**keys, "completion": {**keys.get("completion", {}), "minutes": 10}}
        assert not any(each.text == "{minutes}" for each in unfilled(keys))
