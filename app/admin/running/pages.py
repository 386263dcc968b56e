"""What the pages of a running study are given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.admin.pages import AdminPage
from app.admin.running.charts import Chart
from app.monitor.sessions_list import Search, SessionList
from app.monitor.sessions_view import SessionView
from app.monitor.snapshots import Snapshot
from app.sessions.flags import Flag, Meaning
from app.sessions.links import Link
from app.studies.checklist import Check
from app.studies.launch import ClosingNow, StateChange
from app.studies.states import Allows
from app.studies.tables import State


@dataclass(frozen=True, slots=True)
class StateRow:
    state: State
    allows: Allows
    is_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPage(AdminPage):
    """The checklist and the changes of state that there are (`to`).

    `must_accept` says that each warning is to be ticked; `ticked` and `reason` are what was sent and not taken, and so
    are `grace`, `ends_at_once` and `farewell` of a closing.
    """

    template: ClassVar[str] = "launch.html"
    tab: ClassVar[str] = "launch"
    slug: str
    state: State
    entrance: str
    version: int
    checks: Sequence[Check]
    n_blockers: int
    warnings: Sequence[Check]
    must_accept: bool
    to: Sequence[State]
    ticked: frozenset[str]
    reason: str
    closing: ClosingNow
    longest_grace: int
    grace: str
    ends_at_once: bool
    farewell: str
    states: Sequence[StateRow]
    history: Sequence[StateChange]


@dataclass(frozen=True, slots=True)
class MonitorView:
    """The part of the monitor that is kept up to date."""

    slug: str
    now: Snapshot
    chart: Chart
    widest: int


@dataclass(frozen=True, slots=True)
class MonitorFragment:
    """That part alone, as it is sent while somebody watches."""

    template: ClassVar[str] = "monitor-live.html"
    live: MonitorView


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPage(AdminPage):
    """`events` is where the script listens; `version` and `mode` are what the choosers show."""

    template: ClassVar[str] = "monitor.html"
    tab: ClassVar[str] = "monitor"
    slug: str
    live: MonitorView
    versions: Sequence[tuple[str, str]]
    modes: Sequence[tuple[str, str]]
    version: str
    mode: str
    events: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsPage(AdminPage):
    """`more` is the address of the next page, empty on the last."""

    template: ClassVar[str] = "sessions.html"
    tab: ClassVar[str] = "sessions"
    slug: str
    search: Search
    list: SessionList
    more: str
    first: str
    statuses: Sequence[tuple[str, str]]
    modes: Sequence[tuple[str, str]]
    flags: Sequence[tuple[str, str]]
    meanings: Mapping[Flag, Meaning]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage(AdminPage):
    """`reason` and `note` are what was written and not taken; `posters` the clips that a picture is kept of.

    `link` goes on with the session in another browser.
    """

    template: ClassVar[str] = "session.html"
    tab: ClassVar[str] = "sessions"
    slug: str
    one: SessionView
    posters: Collection[str]
    reason: str
    note: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage(AdminPage):
    """`links` are those just made, each with its whole address; `names` what was typed."""

    template: ClassVar[str] = "links.html"
    tab: ClassVar[str] = "sessions"
    slug: str
    site: str
    names: str = ""
    links: Sequence[Link] = ()
