"""No text of the participant's pages escapes translation: each page is made in a language that marks what it says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import update
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.language import speaking
from app.core.templating import html_of
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.file.languages import overlay_of
from app.studies.versions import set_state
from app.trials.tables import State, Study
from tests.factories import NOW, answer_for, open_study, study_file
from tests.languages.pseudo import CLOSE, OPEN, PSEUDO, escaped, pseudo_spoken
from tests.sessions.walks import Walk

Library = tuple[ClipStore, Sequence[ImportedClip]]
BACKGROUND = [
    {"id": "familiarity", "ask": "How familiar?", "type": "likert", "scale": "familiarity"},
    {
        "id": "hand",
        "type": "choice",
        "ask": "Which hand?",
        "options": ["Left hand", "Right hand"],
        "required": False,
    },
    {
        "id": "place",
        "type": "choice",
        "ask": "Where?",
        "options": [f"Place {n}." for n in range(9)],
        "required": False,
    },
    {"id": "age", "type": "number", "ask": "How old?", "minimum": 0, "maximum": 120, "required": False},
    {"id": "mood", "type": "slider", "ask": "How well?", "labels": ["Bad", "Good"], "required": False},
    {
        "id": "order",
        "type": "ranking",
        "ask": "Which order?",
        "options": ["Speed", "Safety"],
        "required": False,
    },
    {
        "id": "says",
        "type": "matrix",
        "ask": "How true?",
        "scale": "agreement",
        "statements": ["It moves.", "It looks."],
        "required": False,
    },
    {
        "id": "points",
        "type": "allocation",
        "ask": "How much?",
        "options": ["First", "Second"],
        "required": False,
    },
    {"id": "note", "type": "text", "ask": "Anything else?", "max_length": 10},
]
QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which one?", "allow_tie": True},
    {"id": "rationale", "type": "text", "ask": "Why?"},
    {"id": "uncertainty", "type": "likert", "ask": "How certain?", "scale": "uncertainty"},
]
ITEMS = "item,text,condition,kind\np1,1,,practice\ni1,2,c,main\n"
RATE = {
    "id": "rate",
    "task": "rating",
    "items": ITEMS,
    "questions": [
        {
            "id": "logic",
            "type": "likert",
            "ask": "How logical?",
            "labels": ["1", "2", "3"],
            "anchors": {1: "Not at all."},
        }
    ],
}
WALKS = {"id": "walk", "task": "walk", "goals": 6, "walks": 2}
WRONG = {
    "familiarity": "9",
    "place": "Elsewhere",
    "age": "many",
    "mood": "0.5",
    "order.1": "1",
    "order.2": "1",
    "says.1": "7",
    "points.1": "3",
    "note": "0123456789 0123456789",
}


def marked(words: Any) -> Any:
    """Words of a study between marks, each line of a text by itself, so that Markdown stays what it is."""
    if isinstance(words, Mapping):
        return {key: each if key == "id" else marked(each) for key, each in words.items()}
    if isinstance(words, (list, tuple)):
        return [marked(each) for each in words]
    return re.sub(r"^(#* ?)(.+)$", rf"\1{OPEN}\2{CLOSE}", str(words), flags=re.MULTILINE)


@pytest.fixture
def pseudo() -> Iterator[None]:
    with pseudo_spoken():
        yield


def opened(database: Database, library: Library, folder: Path, **changes: Any) -> str:
    """The slug of an open study in English and the language of marks."""
    keys = {key: value for key, value in study_file(**changes).items() if value is not None}
    overlay = marked(overlay_of(keys))
    with database.transaction() as session:
        open_study(session, folder, library[1], **changes, languages={"en": ".", PSEUDO: overlay})
    return str(keys["study"])


class Reading(Walk):
    """A walk of which each page is read for texts that have escaped."""

    def __init__(self, client: TestClient, slug: str) -> None:
        super().__init__(client, slug, lang=PSEUDO)
        self.assert_translated()

    def assert_translated(self, html: str = "") -> None:
        html = html or self.html
        assert f'<html lang="{PSEUDO}"' in html
        assert escaped(html) == []

    def answer(self, **fields: str) -> str:
        page = super().answer(**fields)
        self.assert_translated()
        return page

    def refused(self, **fields: str) -> str:
        answer = self.client.post(self.address.partition("?")[0], data=answer_for(self.html, **fields))
        assert answer.status_code == 422
        self.assert_translated(answer.text)
        scripted = self.client.post(
            self.address.partition("?")[0],
            data=answer_for(self.html, **fields),
            headers={"accept": "application/json"},
        )
        assert escaped("\n".join(scripted.json()["errors"].values())) == []
        return answer.text


@pytest.mark.usefixtures("pseudo")
def test_a_way_through_pairs_and_every_type_of_question(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    trials = {"questions": QUESTIONS}
    slug = opened(database, library, tmp_path, background=BACKGROUND, trials=trials)
    walk = Reading(client, slug)
    walk.refused(decision="", of_age="")
    walk.answer()
    walk.refused(familiarity="3", **{key: value for key, value in WRONG.items() if key != "familiarity"})
    walk.refused(familiarity="9")
    while walk.page != "end":
        if walk.page.startswith("trial"):
            walk.refused(choice="", uncertainty="9", rationale="1")
        walk.assert_translated(client.get(f"{walk.address}/stop").text)
        walk.answer()
    walk.assert_translated(client.get(f"{walk.address}/stop").text)
    walk.assert_translated(client.get(f"/s/{slug}/withdraw", params={"lang": PSEUDO}).text)
    wrong = client.post(
        f"/s/{slug}/withdraw", params={"lang": PSEUDO}, data={"receipt": "x", "confirm": "delete"}
    )
    walk.assert_translated(wrong.text)
    walk.assert_translated(client.post(f"{walk.address}/stop", data={"confirm": "delete"}).text)


@pytest.mark.usefixtures("pseudo")
def test_a_way_through_ratings_and_walks(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    none = dict.fromkeys(("trials", "sample", "background"))
    slug = opened(database, library, tmp_path, **none, blocks=[RATE, WALKS])
    walk = Reading(client, slug)
    while walk.page != "end":
        walk.answer(**({"unable": "1"} if "walk-settings" in walk.html else {}))
        walk.assert_translated()


@pytest.mark.usefixtures("pseudo")
@pytest.mark.parametrize(
    "way", ["refused", "under-age", "full", "took-part", "withdrawn", "framed", "closed", "paused"]
)
def test_every_other_way_out(
    client: TestClient, database: Database, library: Library, tmp_path: Path, way: str
) -> None:
    slug = opened(database, library, tmp_path)
    walk = Reading(client, slug)
    if way in ("refused", "under-age"):
        walk.answer(**({"decision": "refuse"} if way == "refused" else {"of_age": "no"}))
        walk.assert_translated()
        return
    if way in ("closed", "paused"):
        with database.transaction() as session:
            set_state(session, slug, State.CLOSED if way == "closed" else State.PAUSED, now=NOW)
        client.cookies.clear()
        walk.assert_translated(client.get(f"/s/{slug}", params={"lang": PSEUDO}).text)
        return
    framed = {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"} if way == "framed" else {}
    path = f"/s/{slug}" if framed else f"/s/{slug}/{way}"
    walk.assert_translated(client.get(path, params={"lang": PSEUDO}, headers=framed).text)


@pytest.mark.usefixtures("pseudo")
def test_pages_of_no_study(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.language.with_catalogue", lambda: ("en", PSEUDO))
    for address in (
        "/s/none",
        "/p/none",
        "/s/none/withdraw",
        "/s/none?go-on=x",
        "/s/none?participant=x&signed=y",
    ):
        html = client.get(f"{address}{'&' if '?' in address else '?'}lang={PSEUDO}").text
        assert f'<html lang="{PSEUDO}"' in html
        assert escaped(html) == []


# What a game's specimens take from their data: names, what players wrote, and the words of their own study.
NAMES = re.compile(r"Alex|Bob|Cindy|David|Eric")
OF_DATA = (
    "A study of five games",
    "You are a psychologist.",
    "Buy it!",
    "I think that half each is fair",
    "I would not take it.",
    "Really not.",
    "This one is good, you can buy it.",
    "The other players may be people",
    "A computer program then plays on for you.",
)
# Pages whose texts the specimens write themselves.
BY_HAND = {"left", "notice", "stopped", "questions"}


@pytest.mark.usefixtures("pseudo")
def test_no_word_of_a_game_escapes() -> None:
    from tests.browser.game_pages import specimens

    with speaking(PSEUDO):
        pages = specimens()
        found = {name: escaped(html_of(page)) for name, page in pages.items() if name not in BY_HAND}
    left = {
        (name, text)
        for name, texts in found.items()
        for text in texts
        if re.search(r"[A-Za-z]{2}", NAMES.sub("", text)) and not text.removeprefix("· ").startswith(OF_DATA)
    }
    assert left == set()


SIGHT = {
    "id": "sight",
    "type": "choice",
    "ask": "See well?",
    "options": ["I do", "I do not"],
    "accept": ["I do"],
}
WHEN = {"id": "when", "type": "choice", "ask": "When?", "options": ["Now", "Later"], "answer": "Later"}
READS = {"id": "reads", "ask": "Choose agree.", "scale": "agreement", "expect": "agree"}
SEEN = {"id": "seen", "type": "choice", "ask": "A person?", "options": ["Yes", "No"]}
PRACTISED = (
    "item,text,kind,right\np1,1,practice,seen=Yes;logic=2\np2,2,practice,seen=Yes;logic=2\np3,3,practice,\n"
)
VIEWED = {"viewing_screen": "Laptop", "viewing_light": "Dim", "viewing_reflections": "No"}
VIEWED |= {"viewing_eyesight": "No", "viewing_colours": "No"}


@pytest.mark.usefixtures("pseudo")
def test_the_checks_of_a_participant_and_practice_with_feedback(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    rate = {**RATE, "items": f"{PRACTISED}i1,4,main,\n", "feedback": True, "order": "fixed"}
    rate["questions"] = [SEEN, *RATE["questions"]]
    rate["attention"] = {"questions": [READS], "failed": "end", "after": 1}
    slug = opened(
        database,
        library,
        tmp_path,
        **dict.fromkeys(("trials", "sample", "background")),
        blocks=[rate],
        screening=[SIGHT],
        viewing_conditions=True,
        comprehension={"questions": [WHEN]},
        devices={"telephones": False, "minimum_width": 300, "browsers": ["chrome", "firefox"]},
    )
    walk = Reading(client, slug)
    walk.answer()
    walk.refused()
    walk.answer(sight="I do")
    walk.refused(viewing_distance_cm="far")
    walk.answer(**VIEWED)
    walk.answer()
    walk.answer(when="Now")
    walk.answer(when="Later")
    given = iter([("Yes", "2"), ("No", "1"), ("No", "1"), ("No", "1")])
    while walk.page != "end":
        if walk.page.startswith("trial"):
            seen, logic = next(given)
            walk.answer(seen=seen, logic=logic)
        else:
            walk.answer(**({"reads": "1"} if walk.page.startswith("attention") else {}))
    assert "The study ends here" in walk.html
    for link in ({}, {"participant": "x"}):
        client.cookies.clear()
        walk = Reading(client, slug) if not link else walk
        if link:
            entered = client.get(f"/s/{slug}", params={**link, "lang": PSEUDO})
            walk.address, walk.html = str(entered.url), entered.text
        walk.answer()
        walk.html = client.post(
            walk.address.partition("?")[0], data=answer_for(walk.html, sight="I do not")
        ).text
        walk.assert_translated()
        walk.assert_translated(client.get(f"/s/{slug}", params={**link, "lang": PSEUDO}).text)
    client.cookies.clear()
    client.headers["user-agent"] = "Mozilla/5.0 (iPhone) Mobile Safari/604.1"
    walk.assert_translated(client.get(f"/s/{slug}", params={"lang": PSEUDO}).text)


@pytest.mark.usefixtures("pseudo")
def test_a_study_that_is_full_or_not_open_yet_and_an_id_that_is_taken(
    client: TestClient, database: Database, library: Library, tmp_path: Path
) -> None:
    slug = opened(database, library, tmp_path, target=1, recruitment={"from": "mturk"})
    named = {"workerId": "w1", "lang": PSEUDO}
    entered = client.get(f"/s/{slug}", params=named)
    walk = Reading(client, slug)
    client.post(entered.url.path, params={"lang": PSEUDO}, data=answer_for(entered.text))
    client.cookies.clear()
    walk.assert_translated(client.get(f"/s/{slug}", params=named).text)  # begun in another browser
    walk.assert_translated(client.get(f"/s/{slug}", params={**named, "workerId": "w2"}).text)  # full
    looked = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "lang": PSEUDO}
    walk.assert_translated(client.get(f"/s/{slug}", params=looked).text)
    with database.transaction() as session:
        session.execute(update(Study).values(target=None, opens_at=datetime(2999, 1, 1, tzinfo=UTC)))
    # The moment itself is a number and the name of a zone.
    html = client.get(f"/s/{slug}", params={**named, "workerId": "w3"}).text
    assert [each for each in escaped(html) if "UTC" not in each] == []


@pytest.mark.usefixtures("pseudo")
def test_every_notice_and_each_plain_reply() -> None:
    from app.core.at_once import TOO_MANY_OF_NETWORK, TOO_MANY_OF_SESSION
    from app.core.ending import ENDS
    from app.core.language import gettext
    from app.library.records import Chart
    from app.sessions.ends import place_lost
    from app.sessions.views import NOTICES
    from app.tasks.game.posted import move_of
    from app.tasks.rating.views import _summary
    from tests.browser.end_pages import design, where

    with speaking(PSEUDO):
        texts = [
            gettext(text) for text in (*NOTICES.values(), TOO_MANY_OF_NETWORK, TOO_MANY_OF_SESSION, ENDS)
        ]
        charts = [Chart(label="x", values=values) for values in ((None,), (1.0, 2.0), (1.0, 9.0, 2.0))]
        texts += map(_summary, charts)
        texts += _refusals(move_of)
        lost = html_of(place_lost(where(design())))
    assert [each for text in texts for each in escaped(text)] == []
    assert [each for each in escaped(lost) if "navigation" not in each] == []


def _refusals(move_of: Any) -> list[str]:
    """What the form of a move is refused with: each wrong amount, a choice that is none, texts too long."""
    from app.core.errors import InvalidAnswer
    from app.tasks.game.moves import Choice, MoveKind, MoveSchema, Number

    amount, pick = Number("amount", 0, 10, step=2), Choice("accept", (True, False))
    legal = MoveSchema((MoveKind("offer", (amount, pick), message=True),), max_length=3)
    said: list[str] = []
    for form in (
        {"kind": "none"},
        {"amount": "", "accept": "maybe", "message": "Hello"},
        {"amount": "x"},
        {"amount": "11"},
        {"amount": "3", "rest-amount": "4"},
    ):
        with pytest.raises(InvalidAnswer) as refused:
            move_of(legal, form)
        said += refused.value.errors.values()
    return said
