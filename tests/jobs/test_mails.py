"""Mails: sent over real sockets, tried again within limits, and without anything that does not belong into them."""

import logging
import re
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.accounts.audit import SERVICE, Actor
from app.accounts.logins import Who
from app.accounts.profile import set_profile
from app.accounts.tables import PasswordLink, Role
from app.backup.doctor import examined
from app.core.database import Database
from app.core.errors import StudyError
from app.core.mail import MailError, MailServer, check, mail_server, send
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.mails import Mail, ask_mail, ask_password_mail, mail_troubles
from app.jobs.tables import Job, JobStatus, Kind
from app.studies.drafts import create_study
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.newsletter import tell_news
from app.worker.worker import drain
from tests.admin.persons import make_user, share_study
from tests.mail_server import PASSWORD, USER, Kept, make_certificate, serving_mail
from tests.mail_server import MailServer as Server

pytestmark = pytest.mark.slow
SITE = "https://studies.example.org"
OWNER = Actor(None, "owner@example.org")
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("no openssl makes a certificate here")
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def served() -> Iterator[tuple[Server, Kept]]:
    with serving_mail() as found:
        yield found


def mailing(settings: Settings, port: int, scheme: str = "smtp") -> Settings:
    given = {
        "LIKELY_HUMAN_DATA": str(settings.data_dir),
        "DATABASE_URL": settings.database_url.render_as_string(hide_password=False),
        "LIKELY_HUMAN_MAIL": f"{scheme}://{USER}:{PASSWORD}@127.0.0.1:{port}",
        "LIKELY_HUMAN_MAIL_FROM": "lab@example.org",
        "LIKELY_HUMAN_ADDRESS": f"{SITE}/",
    }
    return Settings.model_validate(given)


def of(port: int, scheme: str = "smtp") -> MailServer:
    server = mail_server(f"{scheme}://{USER}:{PASSWORD}@127.0.0.1:{port}", "lab@example.org")
    assert server
    return server


def a_user(database: Database, role: Role = Role.OWNER, email: str = "ana@example.org") -> Who:
    with database.transaction() as session:
        return make_user(session, role, email)


def jobs(database: Database) -> list[Job]:
    with database.reading() as session:
        return list(session.exec(select(Job).where(Job.kind == Kind.MAIL).order_by(col(Job.id))).all())


def make_due(database: Database) -> None:
    with database.transaction() as session:
        for job in session.exec(select(Job)):
            job.not_before = datetime.now(UTC) - timedelta(seconds=1) if job.not_before else None


def test_mail_goes_by_tls_with_a_password_and_only_to_a_server_that_proves_itself(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scheme in ("smtp", "smtps"):
        with serving_mail(certificate, from_the_start=scheme == "smtps") as (server, kept):
            with pytest.raises(MailError, match="certificate is not valid"):
                send(of(server.port, scheme), "ana@example.org", "Hello", "Text")
            assert (kept.logins, kept.mails) == ([], [])
            with monkeypatch.context() as here:
                here.setenv("SSL_CERT_FILE", str(certificate.parent / "certificate.pem"))
                send(of(server.port, scheme), "ana@example.org", "Grüße", "Täglich\n.\nText")
            ((sender, to, message),) = kept.mails
            assert ("<lab@example.org>" in sender, to, kept.was_tls) == (True, ["ana@example.org"], [True])
            assert kept.logins == [f"\0{USER}\0{PASSWORD}"]
            assert (message["Subject"], message["To"], message["From"]) == (
                "Grüße", "ana@example.org", "lab@example.org",
            )  # fmt: skip
            assert message.get_content().replace("\r\n", "\n") == "Täglich\n.\nText\n"


def test_a_mail_that_was_taken_is_sent_whatever_the_server_says_at_the_end(
    settings: Settings, database: Database, served: tuple[Server, Kept]
) -> None:
    server, kept = served
    kept.goodbye = "421 too busy"
    who = a_user(database)
    with database.transaction() as session:
        ask_mail(session, Mail.RESET, who.user_id, datetime.now(UTC))
    drain(mailing(settings, server.port), database)
    assert ([job.status for job in jobs(database)], len(kept.mails)) == ([JobStatus.DONE], 1)


def test_no_header_and_no_recipient_can_be_slipped_in(served: tuple[Server, Kept]) -> None:
    server, kept = served
    subject = "Corridors\r\nBcc: eve@example.org\r\n\r\nanother text"
    send(of(server.port), "ana@example.org", subject, "Text")
    ((_, to, message),) = kept.mails
    assert (to, message["Bcc"]) == (["ana@example.org"], None)
    assert message["Subject"] == "Corridors Bcc: eve@example.org another text"
    assert message.get_content().strip() == "Text"
    for address in (
        "ana@example.org\r\nBcc: eve@example.org", "eve@example.org,ana@example.org", "ana,eve@example.org",
        "<ana@example.org>", "ana@example.org\x00", "änä@example.org", "", "ana@",
    ):  # fmt: skip
        with pytest.raises(MailError):
            send(of(server.port), address, "Hello", "Text")
    assert len(kept.mails) == 1


def test_an_address_of_a_server_is_checked_and_its_password_is_in_no_message() -> None:
    assert mail_server(" ", "") is None
    assert mail_server("smtp://mail.example.org", "lab@example.org") == MailServer(
        "mail.example.org", 587, False, "lab@example.org"
    )
    own = mail_server("smtps://lab%40example.org:p%40ss%3A@mail.example.org", "")
    assert own
    assert (own.port, own.user, own.password, own.sender) == (
        465,
        "lab@example.org",
        "p@ss:",
        "lab@example.org",
    )
    assert "p@ss" not in repr(own)
    for address, sender in (
        (f"http://u:{PASSWORD}@mail.example.org", "lab@example.org"),
        (f"smtp://u:{PASSWORD}@", "lab@example.org"),
        (f"smtp://u:{PASSWORD}@mail.example.org:port", "lab@example.org"),
        (f"smtp://u:{PASSWORD}@mail.example.org/path", "lab@example.org"),
        (f"smtp://u:{PASSWORD}@mail.example.org", ""),
        (f"smtp://u:{PASSWORD}@mail.example.org", "lab@example.org\nBcc: eve@example.org"),
    ):
        with pytest.raises(StudyError) as refused:
            mail_server(address, sender)
        assert "LIKELY_HUMAN_MAIL" in str(refused.value)
        assert PASSWORD not in str(refused.value)


def test_a_wrong_password_is_said_without_it(served: tuple[Server, Kept]) -> None:
    server = mail_server(f"smtp://{USER}:not-{PASSWORD}@127.0.0.1:{served[0].port}", "lab@example.org")
    assert server
    with pytest.raises(MailError) as refused:
        check(server)
    assert ("535" in str(refused.value), refused.value.is_temporary) == (True, False)
    assert PASSWORD not in str(refused.value)


def test_an_invitation_has_a_link_that_nobody_else_sees(
    settings: Settings, database: Database, served: tuple[Server, Kept], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server, kept = served
    who = a_user(database)
    with database.transaction() as session:
        ask_password_mail(session, Mail.INVITATION, who.user_id, OWNER, datetime.now(UTC))
    drain(mailing(settings, server.port), database)
    ((_, to, message),) = kept.mails
    text = message.get_content()
    (token,) = re.findall(rf"{SITE}/password/(\S+)", text)
    assert (to, "Subject: " in text) == ([who.email], False)
    (job,) = jobs(database)
    assert (job.status, job.result) == (JobStatus.DONE, {"sent": True})
    assert token not in str(job.model_dump())
    with database.reading() as session:
        (link,) = session.exec(select(PasswordLink)).all()
    assert token not in str(link.model_dump())
    assert PASSWORD not in caplog.text
    assert token not in caplog.text


def test_what_is_refused_for_now_is_tried_again_and_in_the_end_given_up(
    settings: Settings, database: Database, served: tuple[Server, Kept]
) -> None:
    server, kept = served
    here, who = mailing(settings, server.port), a_user(database)
    kept.replies = ["451 later"] * 3
    with database.transaction() as session:
        ask_mail(session, Mail.RESET, who.user_id, datetime.now(UTC))
    for tries in (1, 2, 3):
        drain(here, database)
        drain(here, database)  # not due yet
        (job,) = jobs(database)
        assert (job.status, job.tries, "451 later" in job.message) == (JobStatus.QUEUED, tries, True)
        with database.reading() as session:
            (trouble,) = mail_troubles(session, datetime.now(UTC))
        assert (trouble.to, trouble.is_given_up) == (who.email, False)
        make_due(database)
    drain(here, database)
    assert [job.status for job in jobs(database)] == [JobStatus.DONE]
    assert len(kept.mails) == 1

    kept.replies = ["451 later"] * 9
    with database.transaction() as session:
        ask_mail(session, Mail.RESET, who.user_id, datetime.now(UTC))
    for _ in range(9):
        drain(here, database)
        make_due(database)
    job = jobs(database)[-1]
    assert (job.status, job.tries) == (JobStatus.FAILED, 5)


def test_what_is_refused_for_good_and_a_server_that_is_away_are_told_apart(
    settings: Settings, database: Database, served: tuple[Server, Kept]
) -> None:
    server, kept = served
    who = a_user(database)
    kept.replies = ["550 no such mailbox"]
    with database.transaction() as session:
        ask_mail(session, Mail.RESET, who.user_id, datetime.now(UTC))
    drain(mailing(settings, server.port), database)
    (job,) = jobs(database)
    assert (job.status, "550 no such mailbox" in job.message) == (JobStatus.FAILED, True)
    with serving_mail() as (other, _):
        closed = other.port
    with database.transaction() as session:
        ask_mail(session, Mail.RESET, who.user_id, datetime.now(UTC))
    drain(mailing(settings, closed), database)
    job = jobs(database)[-1]
    assert (job.status, "does not answer" in job.message) == (JobStatus.QUEUED, True)


def test_the_doctor_logs_in_at_the_mail_server(settings: Settings, served: tuple[Server, Kept]) -> None:
    server, kept = served

    def said(here: Settings) -> tuple[bool, str]:
        [one] = [one for one in examined(here) if one.about == "mail"]
        return one.is_well, f"{one.said} {one.remedy}"

    assert said(settings) == (True, "LIKELY_HUMAN_MAIL is not set: links and passwords are handed over ")
    assert said(mailing(settings, server.port))[0]
    assert (len(kept.logins), kept.mails) == (1, [])
    with serving_mail() as (other, _):
        closed = other.port
    is_well, text = said(mailing(settings, closed))
    assert (is_well, "does not answer" in text, PASSWORD in text) == (False, True, False)


def test_news_of_a_study_go_once_to_those_who_want_them_and_see_it(
    settings: Settings, database: Database, study: str, served: tuple[Server, Kept]
) -> None:
    server, kept = served
    owner, editor = a_user(database), a_user(database, Role.EDITOR, "ed@example.org")
    outside = a_user(database, Role.EDITOR, "out@example.org")
    a_user(database, Role.OWNER, "quiet@example.org")
    now = datetime.now(UTC)
    with database.transaction() as session:
        create_study(session, owner, "other", {"title": "Other"}, now)
        share_study(session, study, editor)
        for who in (owner, editor, outside):
            set_profile(session, who, "", ["target"], now)
        set_state(
            session, study, State.CLOSED, by=SERVICE, now=now, noted={"because": "its target is reached"}
        )
        set_state(session, "other", State.CLOSED, by=owner.actor, now=now)
    assert tell_news(database, now) == 2
    assert tell_news(database, now) == 0
    drain(mailing(settings, server.port), database)
    assert sorted(to[0] for _, to, _ in kept.mails) == [owner.email, editor.email]
    text = kept.mails[0][2].get_content()
    assert f"{SITE}/admin/studies/{study}/results" in text
    assert "its target is reached" in text


def test_something_to_look_at_is_mailed_once_a_day_with_numbers_and_no_names(
    settings: Settings,
    database: Database,
    study: str,
    served: tuple[Server, Kept],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, kept = served
    owner = a_user(database)
    n = {"flagged": 1}
    monkeypatch.setattr("app.worker.newsletter.n_flagged_sessions", lambda *_: n["flagged"])
    monkeypatch.setattr("app.worker.newsletter.notices_of", lambda *_: ["2 sessions came with PID=5f00aa"])
    now = datetime.now(UTC)
    with database.transaction() as session:
        set_profile(session, owner, "", ["look"], now)
    assert tell_news(database, now) == 1
    n["flagged"] = 5
    assert tell_news(database, now + timedelta(hours=2)) == 0
    assert tell_news(database, now + timedelta(hours=25)) == 1
    drain(mailing(settings, server.port), database)
    first, second = (message.get_content() for _, _, message in kept.mails)
    assert "1 session with a flag and 1 notice are on the monitor" in first
    assert "5 sessions with a flag" in second
    assert "5f00aa" not in first + second + str([job.params for job in jobs(database)])


def test_a_job_that_waits_for_its_time_holds_up_no_other(database: Database) -> None:
    who = a_user(database)
    with database.transaction() as session:
        first = ask_mail(session, Mail.RESET, who.user_id, NOW)
        second = ask_mail(session, Mail.RESET, who.user_id, NOW)
        assert queue.take(session, [Kind.MAIL], NOW).id == first  # type: ignore[union-attr]
        queue.put_off(session, first, NOW + timedelta(minutes=1), "later")
        assert queue.take(session, [Kind.MAIL], NOW).id == second  # type: ignore[union-attr]
        assert not queue.is_waiting(session, [Kind.MAIL], NOW)
        assert queue.is_waiting(session, [Kind.MAIL], NOW + timedelta(minutes=2))


def test_the_worker_ends_while_it_watches_for_news(settings: Settings, database: Database) -> None:
    from app.worker.newsletter import watch

    stop = threading.Event()
    thread = threading.Thread(target=watch, args=(database, stop))
    thread.start()
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
