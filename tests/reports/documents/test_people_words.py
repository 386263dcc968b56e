"""The pre-registration of a study with everything that is new in a study file: arms, places, precision, languages."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.core.database import Database
from app.reports.documents.document import Document, blanks_in
from app.reports.documents.ethics import ethics
from app.reports.documents.making import made_prereg
from app.reports.study_facts import study_facts
from app.studies.file.load import load_study
from app.studies.versions import load_version, stimulus_facts
from tests.factories import NOW, load_file, study_file

ARMS = [
    {"id": "slow", "target": 30, "set": {"blocks.watch.trials.watch": "both-to-end", "title": "Slowly"}},
    {"id": "fast", "target": 40, "set": {"blocks.watch.trials.watch": "free"}},
]
NEW: dict[str, Any] = {
    "arms": ARMS,
    "idle_minutes": 20,
    "opens": "2026-03-01T09:00+01:00",
    "ends": "2026-03-31T18:00+02:00",
    "stop_when": {"measure": "accuracy", "narrower_than": 0.08, "at_least": 40, "expected": 0.75},
    "devices": {"minimum_width": 900, "telephones": False, "browsers": ["chrome", "firefox"], "kept": True},
    "screening": [
        {
            "id": "sight",
            "type": "choice",
            "ask": "Do you see well?",
            "options": ["yes", "no"],
            "accept": ["yes"],
        }
    ],
    "comprehension": {
        "questions": [
            {
                "id": "task",
                "type": "choice",
                "ask": "What are you to say?",
                "options": ["real", "fake"],
                "answer": "real",
            }
        ],
        "failed": "end",
    },
    "viewing_conditions": True,
    "recruitment": {"from": "prolific", "not_if_in": ["pilot-of-march"]},
    "exclude": "default",
    "retention": {"days": 90},
    "hypotheses": [
        {
            "id": "h1",
            "says": "Who watches to the end is right more often.",
            "compare": ["slow", "fast"],
            "measure": "accuracy",
            "direction": "greater",
            "test": "mann-whitney",
        }
    ],
}


def in_blocks(**changes: object) -> dict[str, object]:
    """The published study's shape as one block, `watch`."""
    file = study_file()
    block = {"id": "watch", "task": "pair", **{key: file.pop(key) for key in ("sample", "trials")}}
    return {**dict.fromkeys(("sample", "trials")), "blocks": [block | changes], **NEW}


@pytest.fixture
def loaded(study: str, database: Database, tmp_path: Path) -> Database:
    with database.transaction() as session:
        load_file(session, tmp_path, **in_blocks())
    return database


def prereg_of(database: Database, template: str = "aspredicted") -> Document:
    with database.reading() as session:
        return made_prereg(session, "nav", template, NOW).document


def chapter(document: Document, heading: str) -> str:
    (found,) = [one for one in document.chapters if one.heading.endswith(heading)]
    return Document("", (), (found,)).markdown()


def test_arms_are_worded_with_how_they_are_assigned_and_what_each_changes(loaded: Database) -> None:
    for template, heading in (("aspredicted", "Conditions"), ("osf", "Study design")):
        text = chapter(prereg_of(loaded, template), heading)
        for said in (
            "one of 2 arms (between subjects): slow and fast.",
            "the arm with the smallest share of its target, counting who has completed and who is under way",
            "between equal ones a seeded draw decides",
            "Arm slow: blocks.watch.trials.watch is both-to-end; title is Slowly.",
            "Arm fast: blocks.watch.trials.watch is free.",
        ):
            assert said in text, said
        assert "All participants are in one group" not in text


def test_targets_dates_and_the_stopping_rule_are_worded(loaded: Database) -> None:
    document = prereg_of(loaded)
    text = chapter(document, "Sample size")
    for said in (
        "Participants wanted in each arm: slow 30, fast 40.",
        "after 20 minutes without a sign of life the place goes to others",
        "Nobody enters before 2026-03-01T09:00+01:00.",
        "Nobody enters from 2026-03-31T18:00+02:00 on",
        "Data collection stops by precision: at the first participant with whom",
        "mean accuracy (participants' shares of main pairs answered right) is at most 8 points wide",
        "not before 40 participants have finished; the target above closes it as well",
        "Chow and Robbins' (1965)",
        "The plan expects a share of 0.75.",
    ):
        assert said in text, said
    assert "the number of participants" not in blanks_in(document)
    assert "at most 8 points wide" in chapter(prereg_of(loaded, "osf"), "Stopping rule")


def test_devices_screening_and_recruiter_are_worded(loaded: Database) -> None:
    for template, heading in (("aspredicted", "Other"), ("osf", "Data collection procedures")):
        text = chapter(prereg_of(loaded, template), heading)
        for said in (
            "Participants come from Prolific. People who took part in pilot-of-march are not taken.",
            "The pages are in English.",
            "Devices: a window at least 900 CSS pixels wide, no telephone and the browser Chrome or Firefox.",
            "Screening, before the study (who answers otherwise is thanked and leaves):",
            "“Do you see well?” Accepted: yes.",
            "Comprehension of the instructions, 2 tries (whoever is wrong then leaves):",
            "“What are you to say?” Accepted: real.",
            "Participants are asked for their viewing conditions.",
        ):
            assert said in text, said


def test_the_application_to_an_ethics_board_has_them_too(loaded: Database) -> None:
    with loaded.reading() as session:
        document = ethics(study_facts(session, "nav"), NOW)
    text = chapter(document, "Participants and recruitment")
    for said in ("one of 2 arms", "slow 30, fast 40", "no telephone", "Do you see well?", "Prolific"):
        assert said in text, said
    assert not [one for one in blanks_in(document) if one == "the number of participants"]


@pytest.mark.slow
def test_the_plan_of_arms_is_of_the_participants_in_each(
    study: str, database: Database, tmp_path: Path
) -> None:
    (one,) = NEW["hypotheses"]
    with database.transaction() as session:
        load_file(session, tmp_path, **{**in_blocks(), "hypotheses": [{**one, "expect": [0.85, 0.7]}]})
    text = chapter(prereg_of(database), "Sample size")
    assert "h1, expecting 0.85 and 0.7: " in text
    assert "| participants in each group | power | 95% interval |" in text


def test_a_target_alone_and_a_rule_alone(study: str, database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_file(session, tmp_path, target=50)
    text = chapter(prereg_of(database), "Sample size")
    assert "The study closes by itself at 50 participants who count." in text
    assert "after 30 minutes without a sign of life" in text
    assert "Nobody looks at the live results" in text
    with database.transaction() as session:
        stop = {"measure": "preference", "source": "hybrid", "narrower_than": 0.1}
        load_file(session, tmp_path, stop_when=stop)
    document = prereg_of(database)
    text = chapter(document, "Sample size")
    assert "No number is fixed: the study ends by its stopping rule." in text
    assert "the mean preference for hybrid" in text
    assert "closes it as well" not in text
    assert "the number of participants" not in blanks_in(document)


def test_a_rule_of_mean_scores_is_worded_in_points_of_their_scale(
    study: str, database: Database, tmp_path: Path
) -> None:
    asked = [{"id": "logic", "type": "likert", "ask": "How logical?", "labels": ["1", "2", "3", "4", "5"]}]
    block = {"id": "rate", "task": "rating", "items": "item,text\n1,a\n2,b\n", "questions": asked}
    stop = {"measure": "logic", "narrower_than": 0.5, "expected": 3.8}
    with database.transaction() as session:
        load_file(session, tmp_path, sample=None, trials=None, blocks=[block], stop_when=stop)
    text = chapter(prereg_of(database), "Sample size")
    for said in (
        "the 95% interval of the mean score by logic (participants' mean scores of main items, items as they are)",
        "is at most 0.5 on the scale from 1 to 5 wide from end to end",
        "the variance is increased by 16 (the scale's length squared) over answers times people",
        "held the mean score in 94% of studies",
        "The plan expects a mean score of 3.8.",
    ):
        assert said in text, said


def test_a_rule_of_right_answers_about_items_is_worded(
    study: str, database: Database, tmp_path: Path
) -> None:
    asked = [{"id": "human", "type": "choice", "ask": "A person?", "options": ["Yes", "No"], "yes_no": True}]
    block = {"id": "judge", "task": "rating", "items": "item,text\n1,a\n2,b\n", "questions": asked}
    stop = {"measure": "human", "narrower_than": 0.1}
    with database.transaction() as session:
        load_file(session, tmp_path, sample=None, trials=None, blocks=[block], stop_when=stop)
    text = chapter(prereg_of(database), "Sample size")
    wanted = "the mean accuracy by human (participants' shares of main items judged right) is at most 10 points wide"
    assert wanted in text


def test_an_informative_choice_of_pairs_is_worded(study: str, database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_file(
            session, tmp_path, **{**in_blocks(per_participant=4, allocate="informative"), "hypotheses": []}
        )
    text = chapter(prereg_of(database), "Conditions")
    assert "depends on the answers so far: pairs of sources" in text
    assert "keeps at least a tenth of its even share" in text
    with database.transaction() as session:
        load_file(session, tmp_path, **{**in_blocks(per_participant=4), "hypotheses": []})
    text = chapter(prereg_of(database), "Conditions")
    assert "Pairs that were shown least often come first" in text


def test_the_layout_of_the_clips_is_worded(study: str, database: Database, tmp_path: Path) -> None:
    file = study_file()
    for layout, said in (
        ("sequential", "one clip after the other, the left one first"),
        ("by-width", "side by side, or one clip after the other in a narrow window"),
    ):
        with database.transaction() as session:
            load_file(session, tmp_path, trials={**file["trials"], "layout": layout})  # type: ignore[dict-item]
        assert f"Pairs are shown {said}" in chapter(prereg_of(database), "Conditions")


def test_the_languages_of_the_pages_are_worded(study: str, database: Database, tmp_path: Path) -> None:
    german = {
        "title": "Was wirkt natürlich?",
        "consent": {"text": "# Einwilligung\n\nDie Teilnahme ist freiwillig.\n"},
        "background": [{"id": "familiarity", "ask": "Wie vertraut sind Ihnen Spiele?"}],
        "instructions": "# Anleitung\n\nSehen Sie beide Videos an.\n",
        "trials": {
            "questions": [
                {"id": "choice", "ask": "Welches Video ist eher von einem Menschen?"},
                {"id": "rationale", "ask": "Warum?"},
                {"id": "uncertainty", "ask": "Wie sicher sind Sie?", "labels": list("abcde")},
            ]
        },
        "completion": {"message": "# Danke\n\nDas war alles.\n"},
    }
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "study.yaml").write_text(yaml.safe_dump(german))
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study_file(languages={"en": ".", "de": "de"})))
    with database.transaction() as session:
        load_version(session, load_study(tmp_path / "study.yaml", stimulus_facts(session)), NOW)
    text = chapter(prereg_of(database), "Other")
    assert "The pages are in English (en) and Deutsch (de)." in text
    assert "the hash of that language's consent text" in text
