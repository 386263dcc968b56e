"""The data of the pages of launch, monitor and sessions, from SQL."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.admin.running.charts import Chart, WidthChart, time_chart, width_chart
from app.admin.running.places import PlacesForm, places_form
from app.admin.running.wishes import SimulationForm, typed_wish
from app.core.problems import counted
from app.library.clips.store import ClipStore
from app.library.media import poster_path
from app.monitor.progress import MODES, choice_of, snapshot
from app.monitor.sessions_view import SessionView, one_session
from app.monitor.snapshots import Snapshot
from app.outputs.clues import clues_state
from app.sessions.links import Link
from app.sessions.simulated import Simulated, simulated_here
from app.studies.access import StudyHere
from app.studies.blinding import may_look
from app.studies.checklist import ChecklistContext, checklist, newest_of
from app.studies.closing import DEFAULT_CLOSING, DEFAULT_GRACE_MIN, LONGEST_GRACE_MIN
from app.studies.file.design import StudyDesign
from app.studies.launch import (
    Accepted,
    Closing,
    ClosingNow,
    StateChange,
    closing_now,
    has_live,
    is_first_launch,
    state_changes,
)
from app.studies.registering import TEMPLATES, RegistrationView, registration_that_counts, registrations
from app.trials.checks import Check
from app.trials.states import STATES, Allows, following
from app.trials.tables import Mode, State


@dataclass(frozen=True, slots=True)
class StateRow:
    state: State
    allows: Allows
    is_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPage(AdminPage):
    """The checklist and the possible changes of state (`to`).

    `must_accept`: each warning has to be ticked; `ticked` and `reason` are the input of a form that was not accepted,
    and so are `grace`, `ends_at_once` and `farewell` of a closing, and `address` of a registration. `sent` names the
    part of the page whose form was not accepted.
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
    templates: Mapping[str, str]
    registrations: Sequence[RegistrationView]
    n_hypotheses: int
    address: str
    places: PlacesForm | None = None
    simulated: Simulated
    wish: SimulationForm
    sent: str = ""

    @property
    def fine(self) -> Sequence[Check]:
        """The checks that need no attention."""
        return [check for check in self.checks if check.verdict == "ok"]

    @property
    def registered(self) -> RegistrationView | None:
        return registration_that_counts(self.registrations)


# A field that the form of each folded part of the launch page has.
_PARTS = {"people": "simulated", "template": "registration", "mark": "places", "closing": "closing"}


@dataclass(frozen=True, slots=True)
class MonitorView:
    """The part of the monitor that is kept up to date."""

    slug: str
    now: Snapshot
    chart: Chart
    widest: int
    widths: WidthChart | None = None


@dataclass(frozen=True, slots=True)
class MonitorFragment:
    """The live part alone, as sent while the page is open."""

    template: ClassVar[str] = "monitor-live.html"
    live: MonitorView


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPage(AdminPage):
    """The monitor. `events` is the address of the event stream; `version` and `mode` are the current choices."""

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
class SessionPage(AdminPage):
    """One session. `reason` and `note` are input that was not accepted; `posters` the clips that have a picture.

    `link` continues the session in another browser.
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
    """Links for participants. `links` are those just made, each with its whole address; `names` what was typed."""

    template: ClassVar[str] = "links.html"
    tab: ClassVar[str] = "sessions"
    slug: str
    site: str
    names: str = ""
    links: Sequence[Link] = ()


def around(store: ClipStore) -> ChecklistContext:
    """The checklist's context outside the study."""
    return ChecklistContext(store, clues_state)


def accepted(form: Mapping[str, str]) -> Accepted:
    """The warnings that were ticked, and why."""
    codes = frozenset(name.removeprefix("know-") for name in form if name.startswith("know-"))
    return Accepted(codes, form.get("reason", ""))


def closing(form: Mapping[str, str]) -> Closing:
    """The terms for sessions under way: time to finish, or none, and the message after it. Raises BadClosing."""
    text = form.get("grace", "").strip() or str(DEFAULT_GRACE_MIN)
    minutes = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    grace = 0 if form.get("under_way") == "end" else minutes
    return Closing(grace, form.get("closing", DEFAULT_CLOSING)).checked()


def launch_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    store: ClipStore,
    site: str,
    now: datetime,
    *,
    form: Mapping[str, str] | None = None,
    error: str = "",
) -> LaunchPage:
    checks = checklist(session, study, around(store))
    sent, version = accepted(form or {}), newest_of(session, study)
    return LaunchPage(
        shell=shell,
        error=error,
        slug=study.slug,
        state=study.state,
        entrance=f"{site}/s/{study.slug}",
        version=version.number if version else 0,
        checks=checks,
        n_blockers=sum(check.verdict == "blocker" for check in checks),
        warnings=[check for check in checks if check.verdict == "warning"],
        must_accept=is_first_launch(session, study),
        to=following(study.state, has_live=has_live(session, study)),
        ticked=sent.codes or frozenset(),
        reason=sent.reason,
        closing=closing_now(session, study),
        longest_grace=LONGEST_GRACE_MIN,
        grace=(form or {}).get("grace", str(DEFAULT_GRACE_MIN)),
        ends_at_once=(form or {}).get("under_way") == "end",
        farewell=(form or {}).get("closing", ""),
        states=[StateRow(state, allows, state is study.state) for state, allows in STATES.items()],
        history=state_changes(session, study),
        templates=TEMPLATES,
        registrations=registrations(session, study.id),
        n_hypotheses=len(StudyDesign.model_validate_json(version.design).hypotheses) if version else 0,
        address=(form or {}).get("address", ""),
        places=places_form(session, study, now, form or {}) if version else None,
        simulated=simulated_here(session, study),
        wish=typed_wish(form or {}),
        sent=next((part for field, part in _PARTS.items() if field in (form or {})), ""),
    )


def monitor_view(
    session: Session,
    study: StudyHere,
    version: str,
    mode: str,
    now: datetime,
    budget_s: float,
    *,
    sees_live: bool,
) -> MonitorView:
    """The monitor's live part. Raises BadChoice or NotFound for an invalid address."""
    choice = choice_of(version, mode)
    return view_of(study.slug, snapshot(session, study, choice, now, budget_s, sees_live=sees_live))


def view_of(slug: str, now: Snapshot) -> MonitorView:
    widest = max((step.reached for step in now.funnel), default=0)
    widths = width_chart(now.precision) if now.precision else None
    return MonitorView(slug, now, time_chart(now.timeline, now.step), widest, widths)


def monitor_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    version: str,
    mode: str,
    now: datetime,
    budget_s: float,
) -> MonitorPage:
    sees_live = may_look(session, shell.who, study, Mode.LIVE)
    live = monitor_view(session, study, version, mode, now, budget_s, sees_live=sees_live)
    numbers = [("all", "all versions"), *((str(n), f"version {n}") for n in live.now.versions)]
    return MonitorPage(
        shell=shell,
        slug=study.slug,
        live=live,
        versions=numbers,
        modes=[(each, f"{each}, {counted(live.now.n_by_mode.get(each, 0), 'session')}") for each in MODES],
        version=str(live.now.version or "all"),
        mode=live.now.mode,
        events=f"/admin/studies/{study.slug}/monitor/events?" + urlencode({"version": version, "mode": mode}),
    )


def session_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    session_id: int,
    data_dir: Path,
    *,
    form: Mapping[str, str] | None = None,
    error: str = "",
    link: str = "",
) -> SessionPage:
    """Raises NotFound."""
    form, one = form or {}, one_session(session, study, session_id)
    shown = {clip.clip_sha256 for event in one.events if event.trial for clip in event.trial.clips}
    return SessionPage(
        shell=shell,
        error=error,
        slug=study.slug,
        one=one,
        posters={sha256 for sha256 in shown if sha256 and poster_path(data_dir, sha256).is_file()},
        reason=form.get("reason", ""),
        note=form.get("note", ""),
        link=link,
    )


SAID: Mapping[State, str] = {
    State.DRAFT: "drafted",
    State.PILOT: "piloting",
    State.LIVE: "opened",
    State.PAUSED: "paused",
    State.CLOSED: "closed",
}
