"""From users, logins, tokens and audit entries to what their pages show."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from sqlmodel import Session

from app.accounts import auditlog, logins, tokens, users
from app.accounts.auditlog import AuditFilter, EntryView
from app.accounts.logins import LoginView, Who
from app.admin.access import Shell
from app.admin.people.pages import (
    AccountPage,
    AuditPage,
    AuditRow,
    Change,
    FreshPassword,
    LoginRow,
    StudyAuditPage,
    TokenRow,
    UserPage,
    UsersPage,
)
from app.studies.access import StudyHere, visible_slugs

LONGEST_SHOWN = 4000
# In this order, as most claim to be the later ones too.
_BROWSERS = (
    (r"Edg\w*/(\d+)", "Edge"),
    (r"OPR/(\d+)", "Opera"),
    (r"Firefox/(\d+)", "Firefox"),
    (r"Chrome/(\d+)", "Chrome"),
    (r"Version/(\d+)\S* .*Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def users_page(
    session: Session,
    shell: Shell,
    *,
    typed: Mapping[str, str] | None = None,
    fresh: FreshPassword | None = None,
    error: str = "",
) -> UsersPage:
    everybody = users.users(session)
    return UsersPage(shell=shell, users=everybody, typed=typed or {}, fresh=fresh, error=error)


def user_page(
    session: Session,
    shell: Shell,
    user_id: int,
    *,
    fresh: FreshPassword | None = None,
    error: str = "",
) -> UserPage:
    user = users.user_with(session, user_id)
    seen_as = Who(user.id, user.email, user.role)
    return UserPage(
        shell=shell,
        user=user,
        studies=[] if seen_as.is_owner else visible_slugs(session, seen_as),
        is_self=user.email == shell.email,
        fresh=fresh,
        error=error,
    )


def account_page(
    session: Session,
    shell: Shell,
    who: Who,
    now: datetime,
    *,
    token: str = "",
    error: str = "",
    error_in: str = "",
    typed: Mapping[str, str] | None = None,
) -> AccountPage:
    return AccountPage(
        shell=shell,
        role=who.role,
        logins=[_login_row(login) for login in logins.logins(session, who, now)],
        tokens=[TokenRow(token, token.has_ended(now)) for token in tokens.tokens(session, who)],
        token=token,
        error=error,
        error_in=error_in,
        typed=typed or {},
    )


def _login_row(login: LoginView) -> LoginRow:
    return LoginRow(login, browser_in_words(login.browser), login.browser)


def browser_in_words(sent: str) -> str:
    """`Firefox 128 on Linux`, as far as a browser's own words tell; else those words."""
    for pattern, name in _BROWSERS:
        found = re.search(pattern, sent)
        if found:
            system = next((words for mark, words in _SYSTEMS if mark in sent), "")
            return f"{name} {found[1]}" + (f" on {system}" if system else "")
    return sent or "A browser that does not say what it is"


def audit_page(session: Session, shell: Shell, wanted: AuditFilter, study: StudyHere | None) -> AuditPage:
    """Of one study, or of everything."""
    here = f"/admin/studies/{study.slug}/audit" if study else "/admin/audit"
    found = auditlog.entries(session, wanted, auditlog.PAGE + 1)
    shown = found[: auditlog.PAGE]
    kept = {
        "study": "" if study else wanted.study,
        "kind": wanted.kind,
        "who": wanted.actor,
        "action": wanted.action,
    }
    query = {name: value for name, value in kept.items() if value}
    older = {**query, "before": str(shown[-1].id)} if len(found) > len(shown) else {}
    page = StudyAuditPage if study else AuditPage
    return page(
        shell=shell,
        here=here,
        rows=[AuditRow(entry, changes_of(entry)) for entry in shown],
        choices=auditlog.choices(session, study.slug if study else ""),
        wanted=wanted,
        older=f"{here}?{urlencode(older)}" if older else "",
        newest=(f"{here}?{urlencode(query)}" if query else here) if wanted.before else "",
    )


def changes_of(entry: EntryView) -> Sequence[Change]:
    """What differs between before and after: by key where both are objects, else as a whole."""
    before, after = entry.before, entry.after
    if before is None and after is None:
        return []
    if isinstance(before or {}, dict) and isinstance(after or {}, dict):
        was, new = before or {}, after or {}
        names = sorted(name for name in {*was, *new} if was.get(name) != new.get(name))
        return [Change(name, _text(was.get(name)), _text(new.get(name))) for name in names]
    return [Change("", _text(before), _text(after))]


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    left_out = len(text) - LONGEST_SHOWN
    return text if left_out <= 0 else f"{text[:LONGEST_SHOWN]}\n… and {left_out:,} more characters"
