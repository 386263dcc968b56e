"""The data of the pages of people and the account, from SQL."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from sqlmodel import Session

from app.accounts import logins, tokens, users
from app.accounts.logins import LoginView, Who
from app.accounts.profile import News, Profile, profile_of
from app.accounts.tokens import DAYS, USUAL_DAYS, TokenView
from app.accounts.users import UserView
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.admin.people.apidoc import Reply, Tag
from app.jobs.mails import MailTrouble, mail_troubles
from app.studies.access import visible_slugs

ROLES = (
    ("owner", "sees and changes everything, and manages users"),
    ("editor", "works on the studies shared with them and their clips, and adds clips and studies"),
    ("viewer", "looks at the studies shared with them and changes nothing"),
)


NEWS = (
    (News.TARGET, "a study closes by itself, as its target is reached or its last day over"),
    (News.LOOK, "something needs a look on the monitor of a live study, at most once a day"),
)
LASTS = (*((str(days), f"{days} days") for days in DAYS), ("never", "until I revoke it"))


@dataclass(frozen=True, slots=True)
class FreshPassword:
    """A generated password, shown only on the page that answers the form."""

    email: str
    password: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPage(AdminPage):
    """The users. `typed` is the input of a form that was not accepted, `troubles` are mails that were not sent.

    `is_mailed` is whether the service can send mails; `lacks_address` if the one thing missing is its public address.
    """

    template: ClassVar[str] = "people-users.html"
    tab: ClassVar[str] = "people"
    roles: ClassVar[Sequence[tuple[str, str]]] = ROLES
    users: Sequence[UserView]
    typed: Mapping[str, str] = field(default_factory=dict)
    fresh: FreshPassword | None = None
    is_mailed: bool = False
    lacks_address: bool = False
    troubles: Sequence[MailTrouble] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPage(AdminPage):
    """`studies` are the slugs that the user sees; of an owner none are named, as they see all."""

    template: ClassVar[str] = "people-user.html"
    tab: ClassVar[str] = "people"
    roles: ClassVar[Sequence[tuple[str, str]]] = ROLES
    user: UserView
    studies: Sequence[str]
    is_self: bool
    fresh: FreshPassword | None = None
    is_mailed: bool = False


@dataclass(frozen=True, slots=True)
class LoginRow:
    """`browser` in words, `sent` as the browser names itself."""

    login: LoginView
    browser: str
    sent: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    token: TokenView
    has_ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage(AdminPage):
    """`token` is a new API token, shown this once; `error_in` the form that was not taken."""

    template: ClassVar[str] = "account.html"
    tab: ClassVar[str] = "account"
    role: str
    logins: Sequence[LoginRow]
    tokens: Sequence[TokenRow]
    lasts: ClassVar[Sequence[tuple[str, str]]] = LASTS
    usual: ClassVar[str] = str(USUAL_DAYS)
    token: str = ""
    error_in: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    profile: Profile
    news: ClassVar[Sequence[tuple[str, str]]] = NEWS
    is_mailed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPage(AdminPage):
    template: ClassVar[str] = "api.html"
    tab: ClassVar[str] = "account"
    base: str
    tags: Sequence[Tag]
    refusals: Sequence[Reply]


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
    now: datetime,
    *,
    is_mailed: bool = False,
    lacks_address: bool = False,
    typed: Mapping[str, str] | None = None,
    fresh: FreshPassword | None = None,
    error: str = "",
) -> UsersPage:
    everybody = users.users(session)
    return UsersPage(
        shell=shell,
        users=everybody,
        typed=typed or {},
        fresh=fresh,
        error=error,
        is_mailed=is_mailed,
        lacks_address=lacks_address,
        troubles=mail_troubles(session, now),
    )


def user_page(
    session: Session,
    shell: Shell,
    user_id: int,
    *,
    is_mailed: bool = False,
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
        is_mailed=is_mailed,
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
    is_mailed: bool = False,
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
        profile=profile_of(session, who.user_id),
        is_mailed=is_mailed,
    )


def _login_row(login: LoginView) -> LoginRow:
    return LoginRow(login, browser_in_words(login.browser), login.browser)


def browser_in_words(sent: str) -> str:
    """`Firefox 128 on Linux`, as far as recognized in a user agent; else the user agent."""
    for pattern, name in _BROWSERS:
        found = re.search(pattern, sent)
        if found:
            system = next((words for mark, words in _SYSTEMS if mark in sent), "")
            return f"{name} {found[1]}" + (f" on {system}" if system else "")
    return sent or "A browser that does not say what it is"
