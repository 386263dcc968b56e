"""The processing rules in force, trying others out, and changing over to them with all clips at once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import text
from sqlmodel import Session, col, func, select

from app.accounts.audit import Actor, record
from app.accounts.logins import NotAllowed, Who
from app.core.errors import Conflict, NotFound, StudyError
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import Kind
from app.library.clips.rules import Rules, explained
from app.library.stimuli import common_clip_size
from app.library.tables import LibraryRules, Stimulus
from app.studies.jobs import job_for
from app.studies.seeing import seen_by

FRAME_SIZE_RULE = (
    "All clips get one frame size. While none is set, the first clip to be processed gives its own size to all; "
    "of clips that are processed together, the smallest does."
)


class BadRules(StudyError):
    """Invalid rules; `faults` maps fields to messages, a mask's as `masks.0.width`."""

    status_code = 422

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class RulesView:
    """The rules for all clips; `id` is 0 while none were set, `n_other` counts clips processed by other rules."""

    rules: Rules
    id: int
    saved_at: datetime | None
    n_clips: int
    n_other: int


def checked_rules(values: Mapping[str, Any]) -> Rules:
    """Validate rules. Raises BadRules with every fault."""
    try:
        return Rules.model_validate(values)
    except ValidationError as error:
        faults = {
            ".".join(map(str, fault["loc"])) or "rules": explained(Rules, fault)
            for fault in error.errors(include_url=False)
        }
        raise BadRules(faults) from None


def hold_library(session: Session) -> None:
    """Lock the library until the transaction ends: no changes of rules, uploaded clips or removed files."""
    # SQLite lets one writer in at a time anyway. EXCLUSIVE still lets others read.
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE library_rules IN EXCLUSIVE MODE"))


def rules_in_force(session: Session) -> tuple[Rules, int]:
    """The rules and their row's id; if none were set, those of the newest clip."""
    newest = session.exec(select(LibraryRules).order_by(col(LibraryRules.id).desc()).limit(1)).first()
    if newest is not None:
        return _with_size(session, Rules.model_validate(newest.rules)), newest.id or 0
    clip = select(Stimulus.rules).where(col(Stimulus.clip_sha256).is_not(None))
    applied = session.exec(clip.order_by(col(Stimulus.id).desc()).limit(1)).first()
    return (Rules.model_validate(applied) if applied else Rules()), 0


def _with_size(session: Session, rules: Rules) -> Rules:
    size = rules.size or common_clip_size(session)
    return rules if size is None else rules.model_copy(update={"width": size[0], "height": size[1]})


def rules_view(session: Session) -> RulesView:
    rules, row_id = rules_in_force(session)
    row = session.get(LibraryRules, row_id) if row_id else None
    by_rules = select(Stimulus.rules, func.count()).where(col(Stimulus.clip_sha256).is_not(None))
    applied = session.exec(by_rules.group_by(col(Stimulus.rules))).all()
    n_other = sum(n for each, n in applied if each != rules.canonical())
    return RulesView(rules, row_id, row.saved_at if row else None, sum(n for _, n in applied), n_other)


def settle_size(session: Session, size: tuple[int, int], now: datetime) -> tuple[Rules, int]:
    """The rules in force; where they leave the frame's size open, the first clip's is written into them."""
    hold_library(session)
    rules, row_id = rules_in_force(session)
    if rules.size is not None:
        return rules, row_id
    settled = rules.model_copy(update={"width": size[0], "height": size[1]})
    return settled, set_rules(session, None, settled, now)


def set_rules(session: Session, by: Actor | None, rules: Rules, now: datetime) -> int:
    """Put rules in force; `by` is None when the first clip sets the size. Returns their row's id."""
    before, _ = rules_in_force(session)
    row = LibraryRules(rules=rules.canonical(), saved_by=by.user_id if by else None, saved_at=now)
    session.add(row)
    session.flush()
    actor = by or Actor(None, "the service")
    record(session, actor, "rules.change", now=now, before=before.canonical(), after=rules.canonical())
    return row.id or 0


def ask_preview(session: Session, who: Who, name: str, rules: Rules, now: datetime) -> int:
    """Start a preview of one clip processed by these rules; returns the job's id."""
    wanted = select(Stimulus).where(Stimulus.name == name, seen_by(who))
    stimulus = session.exec(wanted).first() if _is_name(name) else None
    if stimulus is None or stimulus.original_sha256 is None:
        raise NotFound(f"There is no clip {name[:100]!r} to try the rules on.")
    params = {"name": name, "original": stimulus.original_sha256, "rules": rules.canonical()}
    return queue.ask(session, Kind.PREVIEW, params, now=now, asked_by=who.user_id)


def preview_run(session: Session, who: Who, job_id: int) -> JobView:
    """A preview that was asked for. Raises NotFound."""
    job = job_for(session, who, job_id)
    if job.kind is not Kind.PREVIEW:
        raise NotFound("There is no such preview.")
    return job


def apply_rules(session: Session, who: Who, rules: Rules, now: datetime) -> int | None:
    """Put rules in force: at once in an empty library, else by a job (its id is returned) that reprocesses every clip.

    Raises NotAllowed for users who are no owners, Conflict while such a job is pending, or if nothing would change.
    """
    if not who.is_owner:
        raise NotAllowed("Rules are for the clips of all studies: an owner puts them in force.")
    return _put_in_force(session, who, rules, now)


def _put_in_force(session: Session, who: Who, rules: Rules, now: datetime) -> int | None:
    hold_library(session)
    view = rules_view(session)
    if reprocessing(session) is not None:
        raise Conflict("All clips are already being processed again; wait until that is over, or cancel it.")
    if rules == view.rules and not view.n_other and (view.id or not view.n_clips):
        raise Conflict("These rules are in force already; there is nothing to change.")
    if not view.n_clips:
        set_rules(session, who.actor, rules, now)
        return None
    params = {"rules": rules.canonical()}
    record(session, who.actor, "rules.ask", now=now, before=view.rules.canonical(), after=params["rules"])
    return queue.ask(session, Kind.REPROCESS, params, now=now, asked_by=who.user_id)


def set_frame_size(session: Session, who: Who, width: int, height: int, now: datetime) -> int | None:
    """Settle the frame's size, px, while it is open, as the first clip of any editor would.

    Raises BadRules, or Conflict once it is settled.
    """
    hold_library(session)
    rules, _ = rules_in_force(session)
    if rules.size is not None:
        raise Conflict(
            f"The frame size is {rules.width} × {rules.height} px already. To change it, go to the processing rules."
        )
    wanted = checked_rules({**rules.canonical(), "width": width, "height": height})
    return _put_in_force(session, who, wanted, now)


def reprocessing(session: Session) -> JobView | None:
    """The job that processes all clips anew, while it stands."""
    standing = queue.jobs_of(session, Kind.REPROCESS, None, limit=1, standing=True)
    return standing[0] if standing else None


def last_reprocessing(session: Session) -> JobView | None:
    found = queue.jobs_of(session, Kind.REPROCESS, None, limit=1)
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class ReprocessedClip:
    """The result of reprocessing one original."""

    clip_sha256: str
    clip_bytes: int
    duration_s: float
    width: int
    height: int
    fps: float
    frames: int


def originals_to_process(session: Session) -> Mapping[str, Sequence[str]]:
    """Every original's hash with the names of the stimuli made of it."""
    rows = select(Stimulus.original_sha256, Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None), col(Stimulus.original_sha256).is_not(None)
    )
    found: dict[str, list[str]] = {}
    for sha256, name in session.exec(rows.order_by(Stimulus.name)):
        found.setdefault(sha256 or "", []).append(name)
    return found


def without_original(session: Session) -> Sequence[str]:
    """Stimuli with a clip that no original is kept for: they stay as they are."""
    lacking = select(Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None), col(Stimulus.original_sha256).is_(None)
    )
    return session.exec(lacking.order_by(Stimulus.name)).all()


def switch_clips(
    session: Session,
    by: Actor,
    rules: Rules,
    clips: Mapping[str, ReprocessedClip],
    skipped: Collection[str],
    now: datetime,
) -> int | None:
    """All stimuli to their new clips, and the rules in force with them. Versions keep the clips they were saved with.

    `skipped` originals are not kept any more, and their clips stay. Returns how many stimuli have changed; None where
    some have come meanwhile that `clips` knows nothing of: do those first.
    """
    hold_library(session)
    if set(originals_to_process(session)) - set(clips) - set(skipped):
        return None
    n_changed = 0
    for stimulus in session.exec(select(Stimulus).where(col(Stimulus.clip_sha256).is_not(None))):
        clip = clips.get(stimulus.original_sha256 or "")
        if clip is None:
            continue
        stimulus.clip_sha256, stimulus.clip_bytes = clip.clip_sha256, clip.clip_bytes
        stimulus.duration_s, stimulus.fps, stimulus.frames = clip.duration_s, clip.fps, clip.frames
        stimulus.width, stimulus.height, stimulus.rules = clip.width, clip.height, rules.canonical()
        session.add(stimulus)
        n_changed += 1
    set_rules(session, by, rules, now)
    return n_changed


def _is_name(name: str) -> bool:
    return name.isprintable() and len(name) <= 200
