"""The audit log as a page: sentences, filters, more rows, export."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from html import unescape

import anyio
import pytest
from sqlmodel import select

from app.accounts.audit import record
from app.accounts.tables import AuditEntry
from app.admin.audit import views
from app.admin.audit.views import AuditWish
from app.core.database import Database
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person
from tests.admin.test_people import make_study


def numbers(page: str) -> list[str]:
    return re.findall(r"note\.save (n\d+)\.<", page)


def link(page: str, words: str) -> str:
    return str(re.findall(rf'href="(/admin/audit\?[^"]+)">{words}', page)[0])


def test_entries_are_sentences_that_lead_to_their_page(owner: Person, database: Database) -> None:
    make_study(database, owner)
    page = owner.get("/admin/audit").text
    said = '<a href="/admin/studies/nav">owner@example.org created the study A study</a>'
    assert said in page
    assert page.count("Somebody at the command line added") == 1
    assert "study.create" not in page


def test_the_log_is_filtered_by_kind_and_period(owner: Person, database: Database) -> None:
    make_study(database, owner)
    with database.transaction() as session:
        long_ago = datetime.now(UTC) - timedelta(days=8)
        record(session, owner.who.actor, "study.archive", now=long_ago, study="nav")
    for query, is_old, is_login in (
        ("", True, True),
        ("?period=week", False, True),
        ("?period=month&kind=studies", True, False),
        ("?kind=logins", False, True),
        ("?kind=changes", True, False),
        ("?study=nav", True, False),
        ("?period=odd", True, True),
    ):
        page = owner.get(f"/admin/audit{query}").text
        found = ("archived the study" in page, "example.org logged in" in page)
        assert found == (is_old, is_login), query


def test_the_log_is_exported_as_csv_without_formulas_and_that_is_noted(
    owner: Person, viewer: Person, database: Database, share_with: ShareWith
) -> None:
    make_study(database, owner)
    share_with(viewer)
    with database.transaction() as session:
        now = datetime.now(UTC)
        record(session, owner.who.actor, "upload.send", now=now, study="nav", subject="=1+1", after="+secret")
    reply = viewer.get("/admin/studies/nav/audit.csv?kind=uploads")
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"
    (row,) = csv.DictReader(io.StringIO(reply.text))
    assert (row["who"], row["said"], row["kind"], row["study"], row["subject"]) == (
        "owner@example.org", "owner@example.org uploaded =1+1", "uploads", "nav", "'=1+1",
    )  # fmt: skip
    assert "secret" not in reply.text
    assert viewer.get("/admin/audit.csv").status_code == 403
    assert "owner@example.org uploaded" in owner.get("/admin/audit.csv").text
    with database.reading() as session:
        found = session.exec(select(AuditEntry).where(AuditEntry.action == "log.export")).all()
    assert [(entry.actor, entry.study) for entry in found] == [(viewer.email, "nav"), (owner.email, None)]


def test_a_log_of_more_than_a_part_is_streamed_whole_without_the_entries_that_come_meanwhile(
    owner: Person, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study(database, owner)
    monkeypatch.setattr(views, "IN_PART", 3)
    with database.transaction() as session:
        for n in range(7):
            record(
                session,
                owner.who.actor,
                "upload.send",
                now=datetime.now(UTC),
                study="nav",
                subject=f"{n}.mp4",
            )

    async def read() -> list[str]:
        own = Database(database.url)
        parts = []
        async for part in views.audit_csv(own, AuditWish(kind="uploads"), None, datetime.now(UTC)):
            parts.append(part)
            with database.transaction() as session:
                record(session, owner.who.actor, "upload.send", now=datetime.now(UTC), subject="late.mp4")
        return parts

    parts = anyio.run(read)
    assert [part.count("\n") for part in parts] == [1, 3, 3, 2]
    rows = csv.DictReader(io.StringIO("".join(parts)))
    assert [row["subject"] for row in rows] == ["late.mp4", *(f"{n}.mp4" for n in reversed(range(7)))]


def test_the_audit_log_tells_before_and_after(owner: Person, database: Database) -> None:
    make_study(database, owner)
    with database.transaction() as session:
        record(
            session,
            owner.who.actor,
            "draft.save",
            now=datetime.now(UTC),
            study="nav",
            subject="title",
            before={"title": "One", "same": 1},
            after={"title": "<script>alert(2)</script>", "same": 1, "new": [1, 2]},
        )
        record(session, owner.who.actor, "study.note", now=datetime.now(UTC), after="x" * 9000)
    page = owner.get("/admin/audit").text
    assert "<script>alert" not in page
    assert re.findall(r'<th scope="row">(\w+)</th>\s*<td><pre>One</pre></td>', page) == ["Title"]
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in page
    assert '<th scope="row">Same</th>' not in page
    assert "and 5,000 more characters" in page
    assert "owner@example.org" in page


def test_a_saved_design_is_told_as_the_form_calls_it(owner: Person, database: Database) -> None:
    make_study(database, owner)
    was = {
        "instructions": "Look.\nThen choose.",
        "trials": {"questions": [{"id": "why", "type": "text", "ask": "Why?"}]},
    }
    new = {
        "instructions": "Look.\nChoose.",
        "trials": {"questions": [{"id": "why", "type": "text", "required": True}]},
    }
    with database.transaction() as session:
        for action, before, after in (
            ("draft.save", was, new),
            ("version.save", {"draft": {"title": "Old"}}, {"sha256": "f00"}),
            ("study.links", None, {"links": 2, "arms": ["a", "b"]}),
        ):
            record(
                session,
                owner.who.actor,
                action,
                now=datetime.now(UTC),
                study="nav",
                before=before,
                after=after,
            )
    page = unescape(owner.get("/admin/audit").text)
    told = re.findall(r'<th scope="row">(.*?)</th>\s*<td>(.*?)</td>\s*<td>(.*?)</td>', page, re.DOTALL)
    assert ("Instructions", "<pre>Then choose.</pre>", "<pre>Choose.</pre>") in told
    assert ("Trials › Questions › why › An answer is required", "<pre>no</pre>", "<pre>yes</pre>") in told
    assert ("Draft until then › Title", "<pre>Old</pre>", "–") in told
    assert ("SHA-256", "–", "<pre>f00</pre>") in told
    assert ("Arms and places", "–", "<pre>a, b</pre>") in told
    assert not re.search("instructions|trials|[{}]", "".join(map("".join, told)))


def test_the_audit_log_is_filtered_and_paged(owner: Person, editor: Person, database: Database) -> None:
    with database.transaction() as session:
        for number in range(60):
            who = editor.who if number % 2 else owner.who
            record(session, who.actor, "note.save", now=datetime.now(UTC), subject=f"n{number}.")
    page = owner.get("/admin/audit?who=editor%40example.org&action=note.save").text
    assert numbers(page) == [f"n{number}" for number in range(59, 19, -2)]
    assert "Show 40 more" in page
    more = owner.get(unescape(link(page, "Show 40 more"))).text
    assert numbers(more) == [f"n{number}" for number in range(59, 0, -2)]
    assert "Older" not in more
    older = owner.get(unescape(link(page, "Older"))).text
    assert numbers(older) == [f"n{number}" for number in range(19, 0, -2)]
    assert "Back to the newest" in older
    for odd in ("before=-1", "before=x", f"before={2**31}"):
        assert owner.get(f"/admin/audit?{odd}").status_code == 404
    assert "No entry fits." in owner.get("/admin/audit?who=%00nobody").text


def test_a_studys_log_is_for_who_sees_the_study(
    owner: Person, viewer: Person, database: Database, share_with: ShareWith
) -> None:
    make_study(database, owner)
    make_study(database, owner, "other")
    assert viewer.get("/admin/studies/nav/audit").status_code == 404
    share_with(viewer)
    page = viewer.get("/admin/studies/nav/audit?study=other").text
    assert page.count("created the study A study") == 1
    assert "other" not in re.sub(r"<head>.*?</head>", "", page, flags=re.S)
    assert viewer.get("/admin/audit").status_code == 403
