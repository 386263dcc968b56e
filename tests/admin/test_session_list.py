"""The list of sessions: kinds as links with counts, a strip of marks for trials, a few rows and then more."""

import re

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from app.core.database import Database
from app.monitor.sessions_list import KINDS, Search, of_kind
from app.monitor.snapshots import STATUS_TITLES
from app.monitor.strips import MOST_MARKS, Mark, _grouped
from app.trials.tables import ParticipantSession, Status
from tests.admin.persons import Person, Program
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database
HERE = "/admin/studies/nav"


def _kinds(html: str) -> dict[str, int]:
    found = re.findall(
        r'<a href="[^"]*"(?: aria-current="true")?>([^<]+) <span class="count">([\d,]+)<span', html
    )
    return {words: int(n) for words, n in found}


def test_kinds_are_links_with_counts_that_keep_the_words_looked_for(
    client: TestClient, owner: Person, api: Program, study: str
) -> None:
    Walk(client, study).to("end")
    Walk(client, study).to("trial-2")
    owner.post(f"{HERE}/sessions/1/exclude", {"reason": "knew the clips"})
    html = owner.get(f"{HERE}/sessions").text
    counts = _kinds(html)
    assert (counts["All"], counts["Not finished"], counts["Completed"], counts["Excluded"]) == (2, 1, 1, 1)
    assert "Excluded by a rule" not in counts
    shown = owner.get(f"{HERE}/sessions?excluded=yes").text
    assert shown.count('<tr id="row-') == 1
    assert re.search(r'sessions\?excluded=yes" aria-current="true">Excluded', shown)
    assert "sessions?q=2&amp;status=active" in owner.get(f"{HERE}/sessions?q=2").text
    assert _kinds(owner.get(f"{HERE}/sessions?q=nobody").text)["All"] == 0
    for kind, search in KINDS.items():
        asked = of_kind(Search(q="x", mode="live", rule="unwatched", after=9), kind)
        assert (asked.q, asked.mode, asked.rule, asked.after) == ("x", "live", "unwatched", 0)
        assert (asked.status, asked.flag, asked.excluded) == (search.status, search.flag, search.excluded)


def test_a_status_has_the_same_words_in_the_list_its_filter_and_on_the_page_of_a_session(
    client: TestClient, owner: Person, database: Database, study: str
) -> None:
    Walk(client, study).to("trial-2")
    for status in (Status.UNPLAYABLE, Status.FAILED_CHECKS, Status.UNSUITED, Status.FULL):
        with database.transaction() as session:
            session.execute(update(ParticipantSession).values(status=status))
        words = STATUS_TITLES[status].lower()
        html = owner.get(f"{HERE}/sessions").text
        assert f'<option value="{status}">{words}</option>' in html
        row = html.partition('<tr id="row-1">')[2].partition("</tr>")[0]
        assert words in row
        assert re.search(rf"<dt>Status</dt><dd>{words}\s*</dd>", owner.get(f"{HERE}/sessions/1").text)
    assert f"of more than {MOST_MARKS} trials a mark stands for several" in html


def test_a_strip_has_a_mark_for_each_trial_and_tells_nothing_of_right_and_wrong(
    client: TestClient, owner: Person, study: str
) -> None:
    Walk(client, study).to("trial-4")
    row = owner.get(f"{HERE}/sessions").text.partition('<tr id="row-1">')[2].partition("</tr>")[0]
    strip = re.search(r'<svg class="strip".*?</svg>', row)
    assert strip
    marks = re.findall(r'class="(ink|open|flagged)"', strip[0])
    assert marks[0] != "open"
    assert marks[-1] == "open"
    said = re.search(r"(\d+) of (\d+)<span", row)
    assert said
    assert [sum(mark != "open" for mark in marks), len(marks)] == [int(said[1]), int(said[2])]
    assert "correct" not in row


def test_many_trials_share_a_mark_that_shows_the_one_to_be_looked_at() -> None:
    assert _grouped([]) == []
    assert _grouped([Mark.DONE] * 3) == [Mark.DONE] * 3
    many = [Mark.DONE] * 100
    many[57] = Mark.FLAGGED
    marks = _grouped(many)
    assert len(marks) <= MOST_MARKS
    assert [at for at, mark in enumerate(marks) if mark is Mark.FLAGGED] == [57 // 7]


def test_a_few_rows_then_more_and_older_ones_without_a_script(
    client: TestClient, owner: Person, database: Database, study: str
) -> None:
    for _ in range(17):
        Walk(client, study).to("trial-1")
    html = owner.get(f"{HERE}/sessions").text
    assert html.count('<tr id="row-') == 15
    more = re.search(r'href="([^"#]+)#row-16">Show 2 more', html)
    assert more
    assert owner.get(more[1]).text.count('<tr id="row-') == 17
    older = re.search(r'href="([^"]+)">Older', html)
    assert older
    last = owner.get(older[1].replace("&amp;", "&")).text
    assert last.count('<tr id="row-') == 2
    assert "Newest" in last
    assert "Show" not in last.partition("What the flags mean")[0].partition('class="row between more"')[2]
