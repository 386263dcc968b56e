"""Every way out of a study: a message of its own, the study's title, whom to ask, and its code where there is one."""

import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from sqlmodel import func, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.templating import html_of
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.sessions import ends
from app.sessions.ends import earned_in_words, way_out
from app.sessions.entering import NotOpen
from app.studies.file.design import DesignCodes
from app.studies.versions import set_state
from app.trials.ending import BlockEnd, Earned, Ending, Shortfall, Way, ending_of
from app.trials.tables import ParticipantSession, State
from tests.browser.end_pages import BACK, CODES, COMPLETION, design, ends_of
from tests.factories import open_study
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database
WAYS = {
    "end-finished": "DONE42",
    "end-earned": "DONE42",
    "end-left": "PARTIAL1",
    "end-withdrew": "PARTIAL1",
    "end-questions": "SCREENED1",
    "end-nobody": "PARTIAL1",
    "end-refused": "NOCONSENT1",
    "end-under-age": "SCREENED1",
    "end-screened-out": "SCREENED1",
    "end-screened-out-id": "SCREENED1",
    "end-unsuited": "SCREENED1",
    "end-failed-checks": "SCREENED1",
    "end-full": "FULL1",
    "end-paused": "FULL1",
    "end-closed": "FULL1",
    "end-elsewhere": "",
    "end-shut-out": "PARTIAL1",
    "end-shut-before": "FULL1",
    "end-unplayable": "FAILED1",
    "end-undone": "FAILED1",
}

HEADINGS = {
    "DONE42": "Your completion code",
    "NOCONSENT1": "Your code for not taking part",
    "SCREENED1": "Your code, because you could not take part",
    "FULL1": "Your code, because you could not take part",
    "PARTIAL1": "Your code for a part of the study",
    "FAILED1": "Your code, because the study did not work on your device",
}
# The same code for another reason.
OTHER_HEADINGS = {
    "end-unsuited": "Your code, only if you cannot use another device or browser",
    "end-failed-checks": "Your code, because the study ended early",
}


def test_each_way_out_has_its_own_words_the_title_whom_to_ask_and_its_code() -> None:
    pages = ends_of(design())
    assert set(pages) == set(WAYS)
    for name, code in WAYS.items():
        html = html_of(pages[name])
        assert "Which navigation looks natural?" in html, name
        assert "Ann Lee, ann.lee@example.org" in html, name
        assert re.findall(r"data-code>([^<]*)<", html) == [code] * bool(code), name
        links = re.findall(r'<a class="button" href="([^"]+)">', html)
        assert links == [BACK.replace("{code}", code)] * bool(code), name
    same = {("end-finished", "end-earned"), ("end-closed", "end-shut-before")}
    for one, other in combinations(pages, 2):
        words = [(pages[name].title, pages[name].why) for name in (one, other)]
        assert (words[0] == words[1]) == ((one, other) in same), (one, other)


def test_the_code_comes_first_is_never_translated_and_closing_the_page_comes_last() -> None:
    for name, page in ends_of(design()).items():
        main = html_of(page).partition("<main>")[2].partition("</main>")[0]
        texts = [text for text in re.sub(r"<[^>]+>", "\n", main).split("\n") if text.strip()]
        if WAYS[name]:
            heading = OTHER_HEADINGS.get(name, HEADINGS[WAYS[name]])
            assert texts[:2] == [heading, WAYS[name]], name
            assert re.search(r'<p class="code notranslate" translate="no"[^>]* data-code>', main), name
            assert f'data-text="{WAYS[name]}"' in main, name  # what is copied is no text of the page
        assert texts[-1].endswith("you may close this page.") or texts[-1] == "You may close this page.", name


def test_an_address_takes_the_place_of_a_code() -> None:
    codes = CODES.model_copy(update={"full": "https://b.example/full?id={participant}"})
    of = design(codes=codes)
    assert way_out(of, Way.FULL, "P 1") == ("", "https://b.example/full?id=P%201")
    assert way_out(of, Way.FAILED) == ("FAILED1", "https://recruiter.example.org/complete?cc=FAILED1")


def test_a_way_without_a_code_has_none_and_a_redirect_without_one_is_for_who_finished() -> None:
    of = design(codes=CODES.model_copy(update={"full": None}), redirect="https://a.example/thanks")
    assert way_out(of, Way.FULL) == ("", "")
    assert way_out(of, Way.FAILED) == ("FAILED1", "")
    assert way_out(of, Way.FINISHED) == ("DONE42", "https://a.example/thanks")
    html = html_of(ends_of(of)["end-full"])
    assert "data-code" not in html
    assert 'class="button" href' not in html


def test_who_came_to_the_last_page_has_the_code_of_who_finished_where_there_is_no_other() -> None:
    pages = ends_of(design(codes=type(CODES)()))
    codes = {name: page.code for name, page in pages.items() if page.code}
    came = ("finished", "earned", "left", "withdrew", "questions", "nobody")
    assert codes == {f"end-{name}": "DONE42" for name in came}
    assert {pages[name].code_label for name in codes} == {"Your completion code"}


def test_a_study_may_name_the_code_of_who_finished_in_either_place() -> None:
    codes = CODES.model_copy(update={"finished": "FIN1"})
    assert way_out(design(code=None, codes=codes), Way.FINISHED)[0] == "FIN1"
    assert way_out(design(), Way.FINISHED)[0] == COMPLETION.code


def test_bonus_and_pay_for_waiting_are_added_up_by_currency() -> None:
    pence, yen = Earned("GBP", 120, 40), Earned("JPY", 300)
    ending = ending_of(
        [BlockEnd(2, earned=pence), BlockEnd(1, earned=yen), BlockEnd(1, earned=Earned("GBP", 5))]
    )
    assert ending.earned == (Earned("GBP", 125, 40), Earned("JPY", 300, 0))
    assert earned_in_words(ending.earned) == (
        ("Bonus", "£1.25"), ("For waiting", "£0.40"), ("Together", "£1.65"), ("Bonus", "¥300")
    )  # fmt: skip
    assert earned_in_words((Earned("GBP", 0, 60),)) == (("For waiting", "£0.60"),)
    assert earned_in_words((Earned("GBP", 0, 0),)) == (("Bonus", "£0.00"),)


def test_the_way_out_is_that_of_the_gravest_shortfall() -> None:
    def way(n_whole: int, *shortfalls: Shortfall) -> Ending:
        return ending_of([BlockEnd(n_whole, shortfalls)])

    assert way(3) == Ending()
    assert way(2, "nobody") == Ending(Way.FINISHED, "nobody")
    assert way(0, "nobody") == Ending(Way.PARTIAL, "nobody")
    assert way(0, "questions") == Ending(Way.SCREENED_OUT, "questions")
    assert way(4, "questions") == Ending(Way.PARTIAL, "questions")
    assert way(4, "nobody", "withdrew") == Ending(Way.PARTIAL, "withdrew")
    assert way(4, "withdrew", "left", "questions") == Ending(Way.PARTIAL, "left")


def test_whoever_comes_or_goes_is_told_so(
    client: TestClient, database: Database, tmp_path: Path, library: tuple[ClipStore, Sequence[ImportedClip]]
) -> None:
    completion = {
        **{"code": "DONE42", "contact": "ann@example.org", "minutes": 20, "pay": "£3.00"},
        "codes": {"no_consent": "NOCON1", "screened_out": "YOUNG1", "full": "FULL1", "failed": "FAIL1"},
    }
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], completion=completion)
    walk = Walk(client)
    assert "about 20 minutes" in walk.html
    assert "£3.00" in walk.html
    walk.answer(decision="refuse")
    assert "You have chosen not to take part." in walk.html
    assert "NOCON1" in walk.html
    walk = Walk(client)
    walk.answer(of_age="no")
    assert "Only people who are 18 or older can take part." in walk.html
    assert "YOUNG1" in walk.html
    walk = Walk(client).to("trial-1")
    while walk.page.startswith("trial"):
        form = {"submit_id": f"{walk.page}.x", "unplayable": "1"}
        walk.html = client.post(walk.address, data=form).text
    assert "The videos could not be played" in walk.html
    assert "FAIL1" in walk.html
    for state, words in ((State.PAUSED, "This study is paused"), (State.CLOSED, "This study has ended")):
        with database.transaction() as session:
            set_state(session, "nav", state)
        client.cookies.clear()
        reply = client.get("/s/nav")
        assert reply.status_code == 403
        assert words in reply.text
        assert "FULL1" in reply.text
        assert "ann@example.org" in reply.text


def test_a_study_that_states_neither_time_nor_pay_says_nothing_of_them(
    client: TestClient, study: str
) -> None:
    assert 'class="promise"' not in Walk(client, study).html


def test_in_another_sites_frame_a_page_of_ours_opens_the_study_in_a_tab(
    client: TestClient, database: Database, study: str
) -> None:
    framed = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}
    reply = client.get(f"/s/{study}?PROLIFIC_PID=P1", headers=framed)
    assert reply.status_code == 200
    assert "frame-ancestors *" in reply.headers["content-security-policy"]
    assert f'href="/s/{study}?PROLIFIC_PID=P1" target="_blank" rel="noopener"' in reply.text
    assert "set-cookie" not in reply.headers
    with database.reading() as session:
        assert session.exec(select(func.count()).select_from(ParticipantSession)).one() == 0
    walk = Walk(client, study)
    here = client.get(walk.address, headers=framed)
    assert "<form" not in here.text
    assert f'href="{walk.address}" target="_blank"' in here.text
    for address in (walk.address, "/admin/login"):
        whole = client.get(address, headers={**framed, "Sec-Fetch-Site": "same-origin"})
        assert "frame-ancestors 'none'" in whole.headers["content-security-policy"]
    login = client.get("/admin/login", headers=framed)
    assert "frame-ancestors 'none'" in login.headers["content-security-policy"]


def test_a_page_that_speaks_of_marked_questions_marks_them(client: TestClient, study: str) -> None:
    walk = Walk(client, study)
    form = {"submit_id": "consent.1", "decision": "agree"}
    html = client.post(walk.address, data=form).text
    assert "marked questions" in html
    assert "data-error>Please say whether you are 18 or older.<" in html
    html = client.post(walk.address, data={**form, "decision": "perhaps"}).text
    assert "marked questions" not in html.replace("data-error>Please say whether", "")
    assert "Please say whether you want to take part." in html
    html = client.post(walk.address, data={"decision": "agree", "of_age": "yes"}).text
    assert "marked questions" not in html


def test_a_second_window_is_told_what_is_so(client: TestClient, study: str) -> None:
    walk = Walk(client, study).to("instructions")
    old = {"submit_id": "instructions.1"}
    walk.answer()
    again = {"submit_id": "instructions.2"}
    assert "You have already answered that page. Continue here." in client.post(walk.address, data=again).text
    reply = client.post(walk.address, data=again, headers={"Accept": "application/json"}).json()
    assert reply["message"] == "You have already answered this page, perhaps in another window."
    walk.to("end")
    assert (
        "You have already finished; there are no more questions." in client.post(walk.address, data=old).text
    )


def test_who_is_sent_back_by_a_code_is_not_asked_to_come_again_later() -> None:
    again = "Please open the link that you were given again later."
    without = design(codes=DesignCodes())
    assert again in html_of(ends.turned_away(NotOpen(State.PAUSED, without)))
    assert again not in html_of(ends.turned_away(NotOpen(State.PAUSED, design())))


def test_only_who_answered_all_is_told_of_saved_answers() -> None:
    pages = ends_of(design())
    assert pages["end-finished"].close.startswith("Your answers are saved.")
    assert pages["end-nobody"].close.startswith("What you did is saved.")
