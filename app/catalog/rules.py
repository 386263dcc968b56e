"""The processing rules of a collection, trying others out, and changing over to them with all its clips at once."""

from collections.abc import Mapping, Sequence, Set
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
from app.library.clips.rules import FIRST_RULES, Rules, explained
from app.library.collections import collection_named
from app.library.stimuli import common_clip_size
from app.library.tables import LIBRARY, Collection, LibraryRules, Stimulus
from app.studies.collections import may_rule, refuse_unseen
from app.studies.jobs import job_for, of_collection
from app.studies.seeing import seen_by

FRAME_SIZE_RULE = (
    "All clips of a collection get one frame size. It is proposed from the videos that are chosen: their middle shape, "
    "at most 1280 × 720 px. While none is set, the first clip to be processed decides for all; of clips that are "
    "imported together at the command line, the smallest does."
)


_MOST_JOBS = 100


class BadRules(StudyError):
    """Invalid rules; `faults` maps fields to messages, a mask's as `masks.0.width`."""

    status_code = 422

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class RulesView:
    """The rules of a collection; `id` is 0 while none were set, `n_other` counts clips processed by other rules."""

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


def rules_in_force(session: Session, collection: int = LIBRARY) -> tuple[Rules, int]:
    """A collection's rules and their row's id; if none were set, those of its newest clip."""
    saved = select(LibraryRules).where(LibraryRules.collection_id == collection)
    newest = session.exec(saved.order_by(col(LibraryRules.id).desc()).limit(1)).first()
    if newest is not None:
        return _with_size(session, Rules.model_validate(newest.rules), collection), newest.id or 0
    clip = select(Stimulus.rules).where(
        col(Stimulus.clip_sha256).is_not(None), Stimulus.collection_id == collection
    )
    applied = session.exec(clip.order_by(col(Stimulus.id).desc()).limit(1)).first()
    return (Rules.model_validate(applied) if applied else FIRST_RULES), 0


def _with_size(session: Session, rules: Rules, collection: int) -> Rules:
    size = rules.size or common_clip_size(session, collection)
    return rules if size is None else rules.model_copy(update={"width": size[0], "height": size[1]})


def rules_view(session: Session, collection: int = LIBRARY) -> RulesView:
    rules, row_id = rules_in_force(session, collection)
    row = session.get(LibraryRules, row_id) if row_id else None
    by_rules = select(Stimulus.rules, func.count()).where(
        col(Stimulus.clip_sha256).is_not(None), Stimulus.collection_id == collection
    )
    applied = session.exec(by_rules.group_by(col(Stimulus.rules))).all()
    n_other = sum(n for each, n in applied if each != rules.canonical())
    return RulesView(rules, row_id, row.saved_at if row else None, sum(n for _, n in applied), n_other)


def settle_size(
    session: Session, size: tuple[int, int], now: datetime, collection: int = LIBRARY
) -> tuple[Rules, int]:
    """The rules in force; where they leave the frame's size open, the first clip's is written into them."""
    hold_library(session)
    rules, row_id = rules_in_force(session, collection)
    if rules.size is not None:
        return rules, row_id
    settled = rules.model_copy(update={"width": size[0], "height": size[1]})
    return settled, set_rules(session, None, settled, now, collection)


def set_rules(
    session: Session, by: Actor | None, rules: Rules, now: datetime, collection: int = LIBRARY
) -> int:
    """Put rules in force; `by` is None when the first clip sets the size. Returns their row's id."""
    before, _ = rules_in_force(session, collection)
    row = LibraryRules(
        rules=rules.canonical(),
        saved_by=by.user_id if by else None,
        saved_at=now,
        collection_id=collection,
    )
    session.add(row)
    session.flush()
    actor = by or Actor(None, "the service")
    record(
        session,
        actor,
        "rules.change",
        now=now,
        subject=session.get_one(Collection, collection).slug,
        before=before.canonical(),
        after=rules.canonical(),
    )
    return row.id or 0


def ask_preview(session: Session, who: Who, name: str, rules: Rules, now: datetime) -> int:
    """Start a preview of one clip processed by these rules; returns the job's id."""
    wanted = select(Stimulus).where(Stimulus.name == name, seen_by(who))
    stimulus = session.exec(wanted).first() if _is_name(name) else None
    if stimulus is None or stimulus.original_sha256 is None:
        raise NotFound(f"There is no clip {name[:100]!r} to try the rules on.")
    tried = rules.encoded_like(rules_in_force(session, stimulus.collection_id)[0])
    params = {"name": name, "original": stimulus.original_sha256, "rules": tried.canonical()}
    return queue.ask(session, Kind.PREVIEW, params, now=now, asked_by=who.user_id)


def preview_run(session: Session, who: Who, job_id: int) -> JobView:
    """A preview that was asked for. Raises NotFound."""
    job = job_for(session, who, job_id)
    if job.kind is not Kind.PREVIEW:
        raise NotFound("There is no such preview.")
    return job


def apply_rules(
    session: Session, who: Who, rules: Rules, now: datetime, collection: int = LIBRARY
) -> int | None:
    """Put rules in force in a collection: at once in an empty one, else by a job (its id is returned) that reprocesses
    every clip of it.

    Raises NotAllowed for users who may not change its rules, Conflict while such a job is pending, or if nothing would
    change.
    """
    if not may_rule(session, who, collection):
        raise NotAllowed("Rules are for the clips of all studies: an owner puts them in force.")
    return _put_in_force(session, who, rules, now, collection)


def apply_rules_named(session: Session, who: Who, slug: str, rules: Rules, now: datetime) -> int | None:
    """Like `apply_rules`, in the collection of that name; the library where none is named. Raises NotFound too.

    A quality or preset that the rules do not name is that of the rules in force.
    """
    collection = _named(session, who, slug)
    wanted = rules.encoded_like(rules_in_force(session, collection)[0])
    return apply_rules(session, who, wanted, now, collection)


def apply_rules_in_force(session: Session, who: Who, slug: str, now: datetime) -> int | None:
    """Process a collection's clips anew by its own rules, as some were moved in. Raises what `apply_rules` does."""
    collection = _named(session, who, slug)
    return apply_rules(session, who, rules_view(session, collection).rules, now, collection)


def rules_named(session: Session, who: Who, slug: str) -> RulesView:
    """The rules of the collection of that name; of the library where none is named. Raises NotFound."""
    return rules_view(session, _named(session, who, slug))


def _named(session: Session, who: Who, slug: str) -> int:
    collection = collection_named(session, slug)
    if slug:
        refuse_unseen(session, who, collection)
    return collection.id or LIBRARY


def _put_in_force(session: Session, who: Who, rules: Rules, now: datetime, collection: int) -> int | None:
    hold_library(session)
    view = rules_view(session, collection)
    if reprocessing(session, collection) is not None:
        raise Conflict("All clips are already being processed again; wait until that is over, or cancel it.")
    if rules == view.rules and not view.n_other and (view.id or not view.n_clips):
        raise Conflict("These rules are in force already; there is nothing to change.")
    if not view.n_clips:
        set_rules(session, who.actor, rules, now, collection)
        return None
    params = {"rules": rules.canonical(), "collection": collection}
    record(session, who.actor, "rules.ask", now=now, before=view.rules.canonical(), after=params["rules"])
    return queue.ask(session, Kind.REPROCESS, params, now=now, asked_by=who.user_id)


def set_frame_size(
    session: Session, who: Who, width: int, height: int, now: datetime, collection: int = LIBRARY
) -> int | None:
    """Settle a collection's frame size, px, while it is open, as the first clip of any editor would.

    Raises BadRules, or Conflict once another is settled.
    """
    hold_library(session)
    rules, _ = rules_in_force(session, collection)
    if rules.size == (width, height):
        return None
    if rules.size is not None:
        raise Conflict(
            f"The frame size is {rules.width} × {rules.height} px already. To change it, go to the processing rules."
        )
    wanted = checked_rules({**rules.canonical(), "width": width, "height": height})
    return _put_in_force(session, who, wanted, now, collection)


def reprocessing(session: Session, collection: int = LIBRARY) -> JobView | None:
    """The job that processes all clips of a collection anew, while it stands."""
    standing = queue.jobs_of(session, Kind.REPROCESS, None, limit=_MOST_JOBS, standing=True)
    return next((job for job in standing if of_collection(job) == collection), None)


def last_reprocessing(session: Session, collection: int = LIBRARY) -> JobView | None:
    found = queue.jobs_of(session, Kind.REPROCESS, None, limit=_MOST_JOBS)
    return next((job for job in found if of_collection(job) == collection), None)


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


def originals_to_process(session: Session, collection: int = LIBRARY) -> Mapping[str, Sequence[str]]:
    """Every original's hash with the names of the collection's stimuli made of it."""
    rows = select(Stimulus.original_sha256, Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None),
        col(Stimulus.original_sha256).is_not(None),
        Stimulus.collection_id == collection,
    )
    found: dict[str, list[str]] = {}
    for sha256, name in session.exec(rows.order_by(Stimulus.name)):
        found.setdefault(sha256 or "", []).append(name)
    return found


def without_original(session: Session, collection: int = LIBRARY) -> Sequence[str]:
    """Stimuli of a collection with a clip that no original is kept for: they stay as they are."""
    lacking = select(Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None),
        col(Stimulus.original_sha256).is_(None),
        Stimulus.collection_id == collection,
    )
    return session.exec(lacking.order_by(Stimulus.name)).all()


def switch_clips(
    session: Session,
    by: Actor,
    rules: Rules,
    clips: Mapping[str, ReprocessedClip],
    skipped: Set[str],
    now: datetime,
    collection: int = LIBRARY,
) -> int | None:
    """All stimuli of a collection to their new clips, and the rules in force with them. Versions keep their clips.

    `skipped` originals are not kept any more, and their clips stay. Returns how many stimuli have changed; None where
    some have come meanwhile that `clips` knows nothing of: do those first.
    """
    hold_library(session)
    if set(originals_to_process(session, collection)) - set(clips) - set(skipped):
        return None
    n_changed = 0
    shown = col(Stimulus.clip_sha256).is_not(None)
    for stimulus in session.exec(select(Stimulus).where(shown, Stimulus.collection_id == collection)):
        clip = clips.get(stimulus.original_sha256 or "")
        if clip is None:
            continue
        stimulus.clip_sha256, stimulus.clip_bytes = clip.clip_sha256, clip.clip_bytes
        stimulus.duration_s, stimulus.fps, stimulus.frames = clip.duration_s, clip.fps, clip.frames
        stimulus.width, stimulus.height, stimulus.rules = clip.width, clip.height, rules.canonical()
        session.add(stimulus)
        n_changed += 1
    set_rules(session, by, rules, now, collection)
    return n_changed


def _is_name(name: str) -> bool:
    return name.isprintable() and len(name) <= 200
