"""Checks for misconfiguration on this machine, from outside the service, whether it runs or not."""

import fcntl
import ipaddress
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from app.core.errors import StudyError
from app.core.mail import MailError, check
from app.core.migrating import newest_revision
from app.core.privacy import OTHERS
from app.core.settings import Settings
from app.core.storage import is_full, lacks_room
from app.jobs.queue import STANDING
from app.jobs.tables import Job, JobStatus

SHORTEST_SECRET = 32
LONG_WAIT = timedelta(minutes=15)
CLOCK_S = 5.0
EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
_BIG_ENOUGH_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check; `remedy` is empty if all is well."""

    about: str
    said: str
    remedy: str = ""

    @property
    def is_well(self) -> bool:
        return not self.remedy


def examined(settings: Settings) -> Sequence[CheckResult]:
    """The results of all checks, in the order of docs/serving.md."""
    looks: Sequence[tuple[str, Callable[[Settings], CheckResult]]] = (
        ("permissions", _permissions),
        ("disk", _disk),
        ("database", _database),
        ("clock", _clock),
        ("secret", _secret),
        ("address", _address),
        ("proxies", _proxies),
        ("mail", _mail),
        ("jobs", _jobs),
    )
    return [_looked(about, look, settings) for about, look in looks]


def _looked(about: str, look: Callable[[Settings], CheckResult], settings: Settings) -> CheckResult:
    try:
        return look(settings)
    except DBAPIError as error:
        said = " ".join(str(error.orig).split())
        return CheckResult(about, f"the database does not answer: {said}", "see `database`, then look again")
    except StudyError as error:
        is_of_space = is_full(error.__context__) if error.__context__ else False
        remedy = "free some space" if is_of_space else "change the setting, or the folder, that is named"
        return CheckResult(about, str(error), remedy)
    except OSError as error:
        remedy = "free some space" if is_full(error) else "let the service's user read and write it"
        return CheckResult(about, f"{error.filename}: {error.strerror}", remedy)


def _permissions(settings: Settings) -> CheckResult:
    data = settings.data_dir
    paths = [data, data / "secret", *data.glob("*.sqlite3*")]
    open_ones = [path for path in paths if path.exists() and path.stat().st_mode & OTHERS]
    if open_ones:
        named = ", ".join(map(str, open_ones))
        return CheckResult("permissions", f"others can read {named}", f"chmod -R go= {data}")
    foreign = [path for path in data.rglob("*") if path.lstat().st_uid != data.stat().st_uid]
    if foreign:
        said = f"{len(foreign)} files are of another user than {data}, such as {foreign[0]}"
        return CheckResult(
            "permissions", said, f"chown -R --reference={data} {data}, and use one user for all commands"
        )
    return CheckResult("permissions", f"{data} is its owner's alone")


def _disk(settings: Settings) -> CheckResult:
    data = settings.data_dir
    if said := lacks_room(data):
        return CheckResult("disk", said, "free some space, or move the data folder to a larger disk")
    free = os.statvfs(data).f_bavail * os.statvfs(data).f_frsize
    if free < _BIG_ENOUGH_BYTES:
        said = f"{free / 1e9:.1f} GB are left, and uploads are refused below 1 GB"
        return CheckResult("disk", said, "free some space before it is full")
    return CheckResult("disk", f"{free / 1e9:.0f} GB are left")


def _database(settings: Settings) -> CheckResult:
    url = settings.database_url
    said = url.render_as_string()
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return CheckResult(
            "database", f"{said} is not there yet", "start the service once, or set LIKELY_HUMAN_DATA"
        )
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
            if connection.dialect.name == "sqlite":
                # Not integrity_check, which also holds every index against its table: O(n log n) instead of O(n).
                whole = connection.scalar(text("PRAGMA quick_check(1)"))
                if whole != "ok":
                    return CheckResult(
                        "database", f"{said} is damaged: {whole}", "stop the service and restore a backup"
                    )
    except DBAPIError as error:
        reason = " ".join(str(error.orig).split())
        return CheckResult("database", f"{said}: {reason}", "start the database, or correct DATABASE_URL")
    finally:
        engine.dispose()
    if revision != newest_revision():
        return CheckResult(
            "database", f"{said} is at revision {revision}", "start this version once: it upgrades it"
        )
    return CheckResult("database", f"{said} answers")


def _clock(settings: Settings) -> CheckResult:
    now = datetime.now(UTC)
    if now < EARLIEST:
        return CheckResult(
            "clock", f"it is {now:%Y-%m-%d} here", "set the clock by NTP: timedatectl set-ntp true"
        )
    url = settings.database_url
    if url.get_backend_name() != "sqlite":
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                # The first statement pays for the start of the transaction, so that only the second is timed.
                connection.execute(text("SELECT 1"))
                began = time.monotonic()
                there = connection.scalar(text("SELECT clock_timestamp()"))
                off = abs((datetime.now(UTC) - there).total_seconds()) - (time.monotonic() - began)
        finally:
            engine.dispose()
        if off > CLOCK_S:
            said = f"this host and the database server differ by {off:.0f} s"
            return CheckResult("clock", said, "set both by NTP: timedatectl set-ntp true")
    return CheckResult("clock", f"it is {now:%Y-%m-%d %H:%M:%S} UTC")


def _secret(settings: Settings) -> CheckResult:
    if len(settings.secret) < SHORTEST_SECRET:
        remedy = "delete it, and one is made; addresses and logins of before end then"
        return CheckResult(
            "secret", f"it has {len(settings.secret)} characters, of {SHORTEST_SECRET} at least", remedy
        )
    where = "LIKELY_HUMAN_SECRET" if settings.secret_override else str(settings.data_dir / "secret")
    return CheckResult("secret", f"it is in {where}")


def _address(settings: Settings) -> CheckResult:
    given = settings.public_address
    if not given:
        if settings.secure_cookies:
            remedy = "set LIKELY_HUMAN_ADDRESS to https://... as people reach it"
            return CheckResult("address", "links begin with what the browser asks for", remedy)
        return CheckResult(
            "address", "links begin with what the browser asks for; LIKELY_HUMAN_ADDRESS is not set"
        )
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        remedy = "write it as https://studies.example.org"
        return CheckResult("address", f"LIKELY_HUMAN_ADDRESS is {given!r}, which is no address", remedy)
    if parts.scheme == "https" and not settings.secure_cookies:
        remedy = "set LIKELY_HUMAN_SECURE_COOKIES=true"
        return CheckResult("address", f"{given} is HTTPS, and cookies are not marked secure", remedy)
    if parts.scheme == "http" and settings.secure_cookies:
        remedy = "set LIKELY_HUMAN_ADDRESS to https://..., or LIKELY_HUMAN_SECURE_COOKIES=false"
        return CheckResult("address", f"{given} is HTTP, where browsers keep no secure cookie", remedy)
    return CheckResult("address", f"links begin with {given}")


def _proxies(settings: Settings) -> CheckResult:
    given = settings.believed
    words = [word.strip() for word in given.split(",") if word.strip()]
    if "*" in words:
        remedy = "name the web server's address in FORWARDED_ALLOW_IPS: anybody can say to be anybody now"
        return CheckResult("proxies", "everybody is believed when they say who asks", remedy)
    wrong = [word for word in words if not _is_network(word)]
    if wrong:
        remedy = "write addresses or networks with commas between, such as 127.0.0.1,10.0.0.0/24"
        return CheckResult("proxies", f"FORWARDED_ALLOW_IPS has {wrong[0]!r}, which is no address", remedy)
    return CheckResult("proxies", f"believed when they say who asks: {', '.join(words) or 'nobody'}")


def _mail(settings: Settings) -> CheckResult:
    server = settings.mail
    if server is None:
        return CheckResult("mail", "LIKELY_HUMAN_MAIL is not set: links and passwords are handed over")
    where = f"{server.host}:{server.port}"
    try:
        check(server)
    except MailError as error:
        return CheckResult("mail", f"{where}: {error}", "correct LIKELY_HUMAN_MAIL, or start the mail server")
    if not settings.public_address:
        return CheckResult("mail", f"{where} answers, and links need an address", "set LIKELY_HUMAN_ADDRESS")
    return CheckResult("mail", f"{where} takes mail from {server.sender}")


def _is_network(word: str) -> bool:
    try:
        ipaddress.ip_network(word, strict=False)
    except ValueError:
        return False
    return True


def _jobs(settings: Settings) -> CheckResult:
    engine = create_engine(settings.database_url)
    try:
        with Session(engine) as session:
            standing = session.exec(
                select(Job).where(col(Job.status).in_(STANDING)).order_by(col(Job.asked_at))
            ).all()
    finally:
        engine.dispose()
    now = datetime.now(UTC)
    due = [job for job in standing if job.not_before is None or _aware(job.not_before) <= now]
    waiting = [job for job in due if job.status == JobStatus.QUEUED]
    said = f"{len(waiting)} wait" if waiting else "none waits"
    if running := [job for job in standing if job.status == JobStatus.RUNNING]:
        each = (f"{job.kind} {job.id} since {job.begun_at or job.asked_at:%Y-%m-%d %H:%M}" for job in running)
        said += f", under way: {', '.join(each)}"
    if standing and not _has_worker(settings.data_dir):
        remedy = "start `likely-human serve`, which has the worker; its log says why where it has none"
        return CheckResult("jobs", f"{said}, and no worker is there", remedy)
    if waiting and datetime.now(UTC) - _aware(waiting[0].asked_at) > LONG_WAIT:
        remedy = "look into the service's log: the worker may be at one long job, or begin it again and again"
        return CheckResult("jobs", f"{said}, the oldest since {waiting[0].asked_at:%Y-%m-%d %H:%M}", remedy)
    return CheckResult("jobs", said)


def _aware(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _has_worker(data: Path) -> bool:
    """A worker holds its lock for as long as it runs."""
    try:
        with (data / "worker.lock").open("rb") as file:
            # Shared, so that two doctors at once do not take each other for the worker.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
