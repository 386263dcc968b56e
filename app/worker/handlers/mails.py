"""Mails: one job sends one mail to one user, and is tried again while the server cannot take it."""

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.accounts.password_links import make_password_link
from app.accounts.tables import User
from app.core.errors import StudyError
from app.core.mail import MailError, MailServer, send
from app.jobs.mails import WITH_LINK, Mail
from app.studies.titles import titles_of
from app.worker.context import Later, Work

WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))


def send_mail(work: Work) -> dict[str, Any]:
    """`params`: mail, user (an id), and of a study's news `slug` and what the text says."""
    mail = Mail(work.params["mail"])
    server, site = _reachable(work)
    with work.database.reading() as session:
        user = session.get(User, work.params["user"])
        to = user.email if user is not None and user.disabled_at is None else ""
        slug = str(work.params.get("slug", ""))
        title = titles_of(session, [slug]).get(slug, slug) if slug else ""
    if not to:
        return {"sent": False}
    said = {"site": site, "to": to, "title": title, "study": f"{site}/admin/studies/{slug}"}
    said |= {key: str(work.params.get(key, "")) for key in ("because", "things")}
    if mail in WITH_LINK:
        # Made here and not where it is asked for, so that the queue holds no key to an account.
        with work.database.transaction() as session:
            keeps_others = bool(work.params.get("keeps_others"))
            token = make_password_link(session, work.params["user"], work.now(), keeps_others=keeps_others)
        said["link"] = f"{site}/password/{token}"
    words = _texts()[mail]
    try:
        send(server, to, words["subject"].format_map(said), words["text"].format_map(said))
    except MailError as error:
        if error.is_temporary and work.job.tries <= len(WAITS):
            raise Later(work.now() + WAITS[work.job.tries - 1], str(error)) from None
        raise
    return {"sent": True}


def _reachable(work: Work) -> tuple[MailServer, str]:
    """The mail server, and the address that links begin with. Raises StudyError."""
    server, site = work.settings.mail, work.settings.public_address.rstrip("/")
    if server is None:
        raise StudyError("LIKELY_HUMAN_MAIL is not set, so nothing is sent.")
    if not site:
        raise StudyError(
            "LIKELY_HUMAN_ADDRESS is not set: a mail needs the address that its links begin with."
        )
    return server, site


@cache
def _texts() -> Any:
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
