"""Sessions in several languages: which one a visitor gets, what consent records, and that answers are alike."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core import language
from app.core.database import Database
from app.core.language import accepted, best_match, with_catalogue
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.export import rows_of
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Status
from tests.factories import answer_for, open_study, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]
GERMAN = {
    "title": "Welche Navigation wirkt menschlich?",
    "consent": {"text": "# Einwilligung\n\nBitte lesen.\n"},
    "trials": {
        "questions": [
            {"id": "choice", "ask": "Welches Video ist eher von einem Menschen?"},
            {"id": "speed", "ask": "Wie schnell?", "options": ["Langsam", "Schnell"]},
        ]
    },
}
QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"},
    {"id": "speed", "type": "choice", "ask": "How fast?", "options": ["Slow", "Fast"]},
]


@pytest.fixture
def two(database: Database, library: Library, tmp_path: Path) -> str:
    """An open study in English and German."""
    plain = study_file()
    trials = {**plain["trials"], "questions": QUESTIONS}  # type: ignore[dict-item]
    overlay = {key: value for key, value in GERMAN.items() if key in plain}
    changes = {"trials": trials, "background": None, "instructions": None, "completion": None}
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], **changes, languages={"en": ".", "de": overlay})
    return str(plain["study"])


def opened(client: TestClient, slug: str, accept: str = "", **params: str) -> Walk:
    client.headers["accept-language"] = accept
    return Walk(client, slug, **params)


@pytest.mark.parametrize(
    ("accept", "lang", "expected"),
    [
        ("", "", "en"),
        ("de-CH, en;q=0.5", "", "de"),
        ("en-US, de;q=0.9", "", "en"),
        ("fr, ja", "", "en"),
        ("en", "de", "de"),
        ("de", "en", "en"),
        ("de", "xx", "de"),
    ],
)
def test_link_before_browser_before_the_study(
    client: TestClient, two: str, accept: str, lang: str, expected: str
) -> None:
    walk = opened(client, two, accept, **({"lang": lang} if lang else {}))
    assert f'<html lang="{expected}" dir="ltr">' in walk.html
    assert ("Einwilligung" in walk.html) == (expected == "de")


def test_language_is_recorded_with_consent_and_not_before(
    client: TestClient, database: Database, two: str
) -> None:
    walk = opened(client, two, "de")
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.language, ParticipantSession.consent_sha256)).all() == [
            (None, None)
        ]
    walk.answer()
    with database.reading() as session:
        [(language, sha256)] = session.exec(
            select(ParticipantSession.language, ParticipantSession.consent_sha256)
        ).all()
    assert language == "de"
    assert sha256 == hashlib.sha256(b"# Einwilligung\n\nBitte lesen.").hexdigest()
    with database.reading() as session:
        [row] = rows_of(session, two, "participants")
    assert (row["language"], row["consent_sha256"]) == ("de", sha256)


def test_session_stays_in_the_language_of_its_consent(client: TestClient, two: str) -> None:
    walk = opened(client, two, "de")
    walk.answer()
    client.headers["accept-language"] = "en"
    walk.look()
    assert '<html lang="de"' in walk.html
    assert "Welches Video ist eher von einem Menschen?" in walk.html


def test_menu_leads_to_the_page_in_each_language(client: TestClient, database: Database, two: str) -> None:
    walk = opened(client, two, "en", PROLIFIC_PID="pid-1")
    address = (
        walk.html.partition('hreflang="de"')[0]
        .rpartition('href="')[2]
        .partition('"')[0]
        .replace("&amp;", "&")
    )
    walk.html = client.get(address).text
    assert '<html lang="de"' in walk.html
    walk.answer()
    assert '<html lang="de"' in walk.html
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.language, ParticipantSession.participant)).one() == (
            "de",
            "pid-1",
        )


def test_answers_are_the_same_data_in_every_language(
    client: TestClient, database: Database, two: str
) -> None:
    for accept in ("en", "de"):
        walk = opened(client, two, accept)
        walk.answer()
        walk.answer(choice="left", speed="Fast")
    with database.reading() as session:
        rows = session.exec(select(Response.answers).where(col(Response.trial_id).is_not(None))).all()
    assert [row["speed"] for row in rows if row] == ["Fast", "Fast"]


def test_german_option_is_shown_and_the_english_one_posted(client: TestClient, two: str) -> None:
    walk = opened(client, two, "de")
    walk.answer()
    assert 'value="Fast"' in walk.html
    assert "Schnell" in walk.html
    assert ">Fast<" not in walk.html


def test_an_answer_that_is_accepted_right_or_asked_for_is_so_in_every_language(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    scale = {"ask": "Wie oft spielen Sie?", "labels": ["nie", "oft"]}
    sight = {"id": "sight", "type": "choice", "options": ["Yes", "No"]}
    plain = study_file()
    asked = {"id": "agree", "ask": "Choose agree.", "scale": "agreement", "expect": "agree"}
    study = {
        "screening": [
            {**sight, "ask": "Do you see well?", "accept": ["Yes"]},
            {
                "id": "often",
                "type": "likert",
                "ask": "How often do you play?",
                "labels": ["never", "often"],
                "accept": ["often"],
            },
        ],
        "comprehension": {
            "questions": [
                {**sight, "ask": "Can you go back?", "answer": "No"},
                {"id": "built_in", "ask": "How often?", "scale": "frequency", "answer": "often"},
            ],
            "failed": "end",
        },
        "trials": {**plain["trials"], "questions": QUESTIONS, "attention": {"questions": [asked]}},  # type: ignore[dict-item]
        "instructions": "# What to do\n\nWatch both.\n",
    }
    german = {
        **{key: value for key, value in GERMAN.items() if key in plain},
        "screening": [
            {"id": "sight", "ask": "Sehen Sie gut?", "options": ["Ja", "Nein"]},
            {"id": "often", **scale},
        ],
        "comprehension": {
            "questions": [
                {"id": "sight", "ask": "Kann man zurück?", "options": ["Ja", "Nein"]},
                {"id": "built_in", "ask": "Wie oft?"},
            ]
        },
        "trials": {
            **GERMAN["trials"],  # type: ignore[dict-item]
            "attention": {"questions": [{"id": "agree", "ask": "Wählen Sie „stimme zu“."}]},
        },
        "instructions": "# Was zu tun ist\n\nSehen Sie beide an.\n",
    }
    changes = {"background": None, "completion": None, **study}
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], **changes, languages={"en": ".", "de": german})
    walk = opened(client, str(plain["study"]), "de")
    walk.answer()
    assert "Wie oft spielen Sie?" in walk.html
    walk.answer(sight="Yes", often="2")
    walk.to("comprehension-1")
    walk.answer(sight="No", built_in="4")
    while walk.page != "end":
        walk.answer(agree="4", choice="left", speed="Fast")
    with database.reading() as session:
        raised = session.exec(select(Response.page, Response.raised)).all()
        assert session.exec(select(ParticipantSession.status)).all() == [Status.COMPLETED]
    assert {page.partition("-")[0] for page, _ in raised} >= {"screening", "comprehension", "attention"}
    assert not [page for page, flags in raised if flags and "failed" in flags]


def test_a_refused_consent_form_comes_back_in_its_language(client: TestClient, two: str) -> None:
    walk = opened(client, two, "en", lang="de")
    answer = client.post(walk.address.partition("?")[0], data=answer_for(walk.html, decision=""))
    assert answer.status_code == 422
    assert '<html lang="de"' in answer.text


def test_who_declines_reads_so_in_the_language_of_the_page(
    client: TestClient, database: Database, two: str
) -> None:
    walk = opened(client, two, "en", lang="de")
    walk.answer(decision="refuse")
    assert '<html lang="de"' in walk.html
    with database.reading() as session:
        row = session.exec(select(ParticipantSession)).one()
    assert (row.status, row.language, row.consent_sha256) == (Status.REFUSED, None, None)


def test_pages_of_no_study_are_in_the_browsers_language_and_those_of_experimenters_in_english(
    client: TestClient,
) -> None:
    client.headers["accept-language"] = "de"
    assert '<html lang="de"' in client.get("/s/none").text
    assert '<html lang="en"' in client.get("/admin/none").text
    # Participants come to the start page by a link that was cut short, and it speaks to them first.
    assert '<html lang="de"' in client.get("/").text


def test_that_no_speed_is_measured_is_told_in_the_language_of_the_study(client: TestClient, two: str) -> None:
    walk = opened(client, two, "de")
    reply = client.get(f"{walk.address}/speed")
    assert (reply.status_code, "Hier gibt es nichts zu messen." in reply.text) == (404, True)


def test_a_service_has_read_its_catalogues_before_the_first_request(client: TestClient) -> None:
    assert set(with_catalogue()) <= set(language._catalogues)


def test_accept_language_as_browsers_send_it() -> None:
    assert accepted("de-CH;q=0.8, en, *;q=0.1, fr;q=0") == ("en", "de-CH")
    assert accepted("") == ()
    assert accepted("de;q=x, ja") == ("ja",)
    assert best_match("zh-Hant-TW", ("en", "zh-Hant")) == "zh-Hant"
    assert best_match("de", ("en", "de-AT")) == "de-AT"
    assert best_match("fr", ("en", "de")) is None


CHECKED = {
    "scales": {"size": ["small", "large"]},
    "screening": [
        {
            "id": "sight",
            "type": "choice",
            "ask": "Do you see well?",
            "options": ["I do", "I do not"],
            "accept": ["I do"],
        },
        {"id": "window", "ask": "How large?", "scale": "size", "accept": ["large"]},
    ],
    "instructions": "# Instructions\n\nWatch.\n",
    "comprehension": {
        "questions": [
            {"id": "when", "type": "choice", "ask": "When?", "options": ["Now", "Later"], "answer": "Later"},
            {"id": "sure", "type": "likert", "ask": "Sure?", "labels": ["not", "very"], "answer": "very"},
        ],
        "failed": "end",
    },
}
CHECKED_GERMAN = {
    "scales": {"size": ["klein", "groß"]},
    "screening": [
        {"id": "sight", "ask": "Sehen Sie gut?", "options": ["Ja", "Nein"]},
        {"id": "window", "ask": "Wie groß?"},
    ],
    "instructions": "# Anleitung\n\nBitte ansehen.\n",
    "comprehension": {
        "questions": [
            {"id": "when", "ask": "Wann?", "options": ["Jetzt", "Später"]},
            {"id": "sure", "ask": "Sicher?", "labels": ["nicht", "sehr"]},
        ]
    },
    "trials": {
        "questions": [{"id": "choice", "ask": "Welches?"}],
        "attention": {"questions": [{"id": "reads", "ask": "Bitte „stimme zu“ wählen."}]},
    },
}


@pytest.mark.parametrize("lang", ["en", "de"])
def test_screening_comprehension_and_attention_know_the_right_answer_in_each_language(
    client: TestClient, database: Database, library: Library, tmp_path: Path, lang: str
) -> None:
    """What is accepted, right or asked for stands in the study file in its own language."""
    reads = {"id": "reads", "ask": "Choose agree.", "scale": "agreement", "expect": "agree"}
    trials = {"questions": QUESTIONS[:1], "attention": {"questions": [reads], "failed": "end", "after": 1}}
    german = {**{key: GERMAN[key] for key in ("title", "consent")}, **CHECKED_GERMAN}
    with database.transaction() as session:
        open_study(
            session,
            tmp_path,
            library[1],
            **CHECKED,
            trials=trials,
            background=None,
            completion=None,
            languages={"en": ".", "de": german},
        )
    walk = opened(client, "nav", lang=lang)
    walk.answer()
    assert ("Sehen Sie gut?" in walk.html) is (lang == "de")
    assert walk.answer(sight="I do", window="2") == "instructions"
    walk.answer()
    assert walk.answer(when="Now", sure="2") == "comprehension-2"
    assert walk.html.count(" checked") == 1  # what was right stays
    assert walk.answer(when="Later", sure="2") == "trial-1"
    while walk.page != "end":
        walk.answer(**({"reads": "4"} if walk.page.startswith("attention") else {}))
    with database.reading() as session:
        assert [one.status for one in session.exec(select(ParticipantSession))] == [Status.COMPLETED]
    out = opened(client, "nav", lang=lang)
    out.answer()
    out.html = client.post(out.address, data=answer_for(out.html, sight="I do", window="1")).text
    assert f'<html lang="{lang}"' in out.html
    with database.reading() as session:
        statuses = {one.status for one in session.exec(select(ParticipantSession))}
    assert statuses == {Status.COMPLETED, Status.SCREENED_OUT}


def test_what_is_said_after_practice_is_in_the_participants_language(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    trials = {**study_file()["trials"], "questions": QUESTIONS, "feedback": True}  # type: ignore[dict-item]
    pairs = "pair,a,b,kind,why\np1,human-g1,symbolic-g1,practice,It *turns*.\nm1,human-g2,symbolic-g2,main,\n"
    german = {
        "title": GERMAN["title"],
        "consent": GERMAN["consent"],
        "trials": GERMAN["trials"],
        "pairs": [{"id": "p1", "why": "Es *dreht* sich."}],
    }
    changes = {"pairs": pairs, "sample": None, "trials": trials, "background": None, "instructions": None}
    with database.transaction() as session:
        opened = open_study(
            session, tmp_path, library[1], **changes, completion=None, languages={"en": ".", "de": german}
        )
    for tag, said, other in (
        ("de", "Es <em>dreht</em> sich.", "turns"),
        ("en", "It <em>turns</em>.", "dreht"),
    ):
        walk = Walk(client, opened.slug, lang=tag).to("trial-1")
        assert walk.answer(speed="Fast") == "feedback-1"
        assert said in walk.html
        assert other not in walk.html
