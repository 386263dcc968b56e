"""What the pages of people, of one's own account, of the audit log and of the API are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from app.accounts.auditlog import CHANGES, KINDS, AuditChoices, AuditFilter, EntryView
from app.accounts.logins import LoginView
from app.accounts.tokens import DAYS, USUAL_DAYS, TokenView
from app.accounts.users import UserView
from app.admin.pages import AdminPage
from app.admin.people.apidoc import Reply, Tag

ROLES = (
    ("owner", "sees and changes everything, and says who may come in"),
    ("editor", "works on the studies shared with them and their clips, and adds clips and studies"),
    ("viewer", "looks at the studies shared with them and changes nothing"),
)


LASTS = (*((str(days), f"{days} days") for days in DAYS), ("never", "until I revoke it"))


@dataclass(frozen=True, slots=True)
class FreshPassword:
    """A generated password, shown on the page that answers the form and nowhere else."""

    email: str
    password: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPage(AdminPage):
    """`typed` is what a refused form held."""

    template: ClassVar[str] = "people-users.html"
    tab: ClassVar[str] = "people"
    roles: ClassVar[Sequence[tuple[str, str]]] = ROLES
    users: Sequence[UserView]
    typed: Mapping[str, str] = field(default_factory=dict)
    fresh: FreshPassword | None = None


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


@dataclass(frozen=True, slots=True)
class Change:
    """One value before and after, as text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    entry: EntryView
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage(AdminPage):
    """`here` is the page's own address; `older` the next page's, empty on the last."""

    template: ClassVar[str] = "audit.html"
    tab: ClassVar[str] = "audit"
    kinds: ClassVar[Sequence[str]] = (CHANGES, *KINDS)
    here: str
    rows: Sequence[AuditRow]
    choices: AuditChoices
    wanted: AuditFilter
    older: str
    newest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAuditPage(AuditPage):
    """One study's part of it: under the study, and not among the owners' pages."""

    tab: ClassVar[str] = "log"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPage(AdminPage):
    template: ClassVar[str] = "api.html"
    tab: ClassVar[str] = "account"
    base: str
    tags: Sequence[Tag]
    refusals: Sequence[Reply]
