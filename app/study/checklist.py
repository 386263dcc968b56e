"""What is looked at before people come in: whatever would ruin the data, or make somebody wish they had known."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sqlmodel import Session, col, select

from app.clips.store import ClipStore
from app.study.access import StudyHere
from app.study.design import Kind, Member
from app.study.drafts import draft_for
from app.study.file.design import StudyDesign
from app.study.file.problems import counted, listed
from app.study.file.templates import unfilled
from app.study.tables import Mode, Pair, ParticipantSession, Status, Stimulus, StudyVersion

FEW_PAIRS = 2
Verdict = Literal["ok", "warning", "blocker"]


class Clues(Protocol):
    """What is known of the clues in a study's clips; `warns` names those that tell the source too well."""

    @property
    def job_id(self) -> int | None: ...
    @property
    def is_current(self) -> bool: ...
    @property
    def was_seen(self) -> bool: ...
    @property
    def warns(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Around:
    """What the checklist looks at beyond the study's own tables: the clips' files, and the clue reports."""

    store: ClipStore
    clues: Callable[[Session, StudyHere], Clues]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist; `mend` is where to mend it, under the study's own address."""

    code: str
    title: str
    verdict: Verdict
    detail: str
    mend: str = ""


def checklist(session: Session, study: StudyHere, around: Around) -> tuple[Check, ...]:
    """Everything that is looked at before people come in, in the order of making a study."""
    version = newest_of(session, study)
    if version is None:
        return (
            Check(
                "version",
                "A version is saved",
                "blocker",
                "No version of the design is saved yet.",
                "versions",
            ),
        )
    design = StudyDesign.model_validate_json(version.design)
    pairs = session.exec(select(Pair).where(Pair.version_id == version.id).order_by(col(Pair.position))).all()
    return (
        _saved(session, study, version),
        _texts(design),
        _age(design),
        _clips(session, around.store, pairs),
        _processing(session, pairs),
        _conditions(design),
        _sides(design),
        *_clues(around.clues(session, study)),
        _completion(design),
        _pilot(session, version),
    )


def _saved(session: Session, study: StudyHere, version: StudyVersion) -> Check:
    if draft_for(session, study).is_unsaved:
        detail = f"The design has changes that version {version.number} does not have: participants would not see them."
        return Check("version", "No unsaved changes", "warning", detail, "versions")
    return Check(
        "version",
        "A version is saved",
        "ok",
        f"Version {version.number} is what participants see.",
        "versions",
    )


def _texts(design: StudyDesign) -> Check:
    found = unfilled(design.model_dump(mode="json"))
    if found:
        words = listed(list(dict.fromkeys(each.text for each in found))[:5], "and")
        return Check("texts", "Consent and texts", "blocker", f"Still to be filled in: {words}.", "design")
    detail = f"Consent text {design.consent.version}, and nothing in [BRACKETS] is left in any text."
    return Check("texts", "Consent and texts", "ok", detail, "design")


def _age(design: StudyDesign) -> Check:
    age = design.consent.minimum_age
    if age is None:
        detail = "Nobody is asked for their age, so children may take part."
        return Check("age", "Minimum age", "warning", detail, "design")
    return Check("age", "Minimum age", "ok", f"Only people of {age} or older take part.", "design")


def _clips(session: Session, store: ClipStore, pairs: Sequence[Pair]) -> Check:
    title = "Clips"
    hashes = {sha256 for pair in pairs for sha256 in (pair.clip_a_sha256, pair.clip_b_sha256)}
    if not hashes or None in hashes:
        return Check("clips", title, "blocker", "There are no clips to show: answers were imported.", "pairs")
    missing = {sha256 for sha256 in hashes if sha256 and not store.clip_path(sha256).is_file()}
    if missing:
        of = [p for p in pairs if p.clip_a_sha256 in missing or p.clip_b_sha256 in missing]
        names = listed([pair.name for pair in of][:5], "and")
        detail = f"The files of {counted(len(missing), 'clip')} are not in the data folder, among others of {names}."
        return Check("clips", title, "blocker", detail, "pairs")
    return Check(
        "clips", title, "ok", f"All {counted(len(hashes), 'clip')} are there, processed by one set of rules."
    )


def _processing(session: Session, pairs: Sequence[Pair]) -> Check:
    title = "Processing"
    ids = {id_ for pair in pairs for id_ in (pair.stimulus_a_id, pair.stimulus_b_id)}
    rows = session.exec(select(Stimulus.id, Stimulus.clip_sha256).where(col(Stimulus.id).in_(ids)))
    now = dict(rows.all())
    changed = {
        id_
        for pair in pairs
        for id_, sha256 in (
            (pair.stimulus_a_id, pair.clip_a_sha256),
            (pair.stimulus_b_id, pair.clip_b_sha256),
        )
        if now.get(id_) != sha256
    }
    if changed:
        detail = (
            f"{counted(len(changed), 'clip')} were processed anew since this version was saved, which still shows them "
            "as they were. Save the design again to show the new ones."
        )
        return Check("processing", title, "warning", detail, "versions")
    return Check("processing", title, "ok", "No clip was processed anew since this version was saved.")


def _conditions(design: StudyDesign) -> Check:
    title = "Pairs"
    counts = Counter(pair.condition for pair in design.pairs if pair.kind is Kind.MAIN)
    if not counts:
        return Check("pairs", title, "blocker", "There is no main pair: nothing would count.", "pairs")
    words = listed([f"{n} {condition}" for condition, n in sorted(counts.items())], "and")
    few = sorted(condition for condition, n in counts.items() if n < FEW_PAIRS)
    if few:
        detail = f"Main pairs: {words}. Of a single pair nobody can tell the condition from the clip."
        return Check("pairs", title, "warning", detail, "pairs")
    return Check("pairs", title, "ok", f"Main pairs: {words}.", "pairs")


def _sides(design: StudyDesign) -> Check:
    title = "Sides"
    truths = {pair.truth for pair in design.pairs if pair.kind is Kind.MAIN and pair.truth}
    match design.trials.sides:
        case "fixed":
            detail = "Member a is always on the left, so a habit of pressing left looks like a preference."
            if len(truths) == 1:
                side = "left" if truths == {Member.A} else "right"
                detail = f"The right answer is always on the {side}: whoever notices need not watch."
            return Check("sides", title, "warning", detail, "design")
        case "random":
            detail = "Sides are drawn anew for each trial: they are even in the long run only."
            return Check("sides", title, "warning", detail, "design")
        case "balanced":
            return Check("sides", title, "ok", " ".join(_balance(design)), "design")


def _balance(design: StudyDesign) -> Iterator[str]:
    yield "Each pair is shown both ways equally often, over every two sessions."
    counts = Counter(pair.condition for pair in design.pairs if pair.kind is Kind.MAIN)
    odd = sorted(condition for condition, n in counts.items() if n % 2)
    if odd:
        yield f"Within one session {listed(odd, 'and')} cannot be split evenly: the number of pairs is odd."


def _clues(clues: Clues) -> Iterator[Check]:
    title = "Clue report"
    if clues.job_id is None:
        yield Check(
            "clues", title, "warning", "Nobody has looked whether the clips give their source away.", "clues"
        )
    elif not clues.is_current:
        yield Check("clues", title, "warning", "The clips have changed since the newest report.", "clues")
    elif not clues.was_seen:
        yield Check("clues", title, "warning", "The report is there; nobody has opened it yet.", "clues")
    else:
        yield Check("clues", title, "ok", "The report on these clips was opened.", "clues")
    for clue in clues.warns if clues.job_id is not None else ():
        code = "clue-" + re.sub(r"[^a-z0-9]+", "-", clue.lower())
        detail = (
            f"From {clue} alone the source can be told better than by chance. The report says what helps."
        )
        yield Check(code, "Clue", "warning", detail, "clues")


def _completion(design: StudyDesign) -> Check:
    title, completion = "Completion", design.completion
    if completion.code or completion.redirect:
        parts = [
            *([f"the code {completion.code}"] if completion.code else []),
            *(["a link back"] if completion.redirect else []),
        ]
        return Check("completion", title, "ok", f"The last page has {listed(parts, 'and')}.", "design")
    detail = "The last page has neither a completion code nor a link back: whoever recruits cannot see who finished."
    return Check("completion", title, "warning", detail, "design")


def _pilot(session: Session, version: StudyVersion) -> Check:
    title = "Pilot"
    done = (
        ParticipantSession.version_id == version.id,
        ParticipantSession.mode == Mode.PILOT,
        ParticipantSession.status == Status.COMPLETED,
    )
    if has_session(session, *done):
        return Check(
            "pilot", title, "ok", f"Somebody completed version {version.number} as a pilot.", "monitor"
        )
    detail = f"Nobody has gone through version {version.number} from the door to the end as a pilot."
    return Check("pilot", title, "warning", detail, "launch")


def newest_of(session: Session, study: StudyHere) -> StudyVersion | None:
    newest = col(StudyVersion.number).desc()
    return session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    ).first()


def has_session(session: Session, *where: Any) -> bool:
    one = select(ParticipantSession.id).join(
        StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id
    )
    return session.exec(one.where(*where).limit(1)).first() is not None
