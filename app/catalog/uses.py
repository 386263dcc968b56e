"""Uses of stimuli: in versions of studies, and in the lists of pairs and items of drafts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.core.errors import Stale
from app.library.tables import Stimulus, StudyClip
from app.pairs.view import find_pairs
from app.studies.access import StudyHere, visible_slugs
from app.studies.drafts import draft_revisions
from app.studies.seeing import facts_for
from app.studies.tables import Draft
from app.tasks.pair.pairs import read_pair_file
from app.tasks.rating.items import read_item_file
from app.trials.stimuli import StimulusFacts
from app.trials.tables import State, Study, StudyVersion, Unit, UnitMember


@dataclass(frozen=True, slots=True)
class Use:
    """A version's (or, where `version` is None, a draft's) pairs and items that show a stimulus.

    `is_drawn`: a draft's draw took it, and can do without it by drawing again.
    """

    study: str
    version: int | None
    pairs: tuple[str, ...]
    is_frozen: bool = False
    is_drawn: bool = False

    @property
    def place(self) -> str:
        where = "the draft" if self.version is None else f"version {self.version}"
        return f"{where} of {self.study}"


_LISTS = ("pairs", "items", "sample")
Uses = Mapping[str, Sequence[Use]]
UNSEEN = "a study that is not shared with you"


def uses_of(session: Session, names: Collection[str], drafts: "DraftUses | None" = None) -> Uses:
    """All uses of clips, by name: versions by study and number, then drafts.

    `drafts` were read before; otherwise they are read here. Raises Stale if one has changed.
    """
    if drafts is not None:
        drafts.refuse_stale(session)
    in_drafts = drafts.uses if drafts else tuple(_in_drafts(session, names))
    return _by_name(names, (*_in_versions(session, names), *in_drafts))


def studies_using(session: Session, names: Collection[str]) -> Mapping[str, int]:
    """The number of studies whose versions show a stimulus, or whose draft lists it or has drawn it.

    For many at once: a draft's names count where they were admitted to its study (`study_clip`), in three statements.
    """
    found: dict[str, set[int]] = {name: set() for name in names}
    here = select(Stimulus.id).where(col(Stimulus.name).in_(list(names)))
    shown = (
        select_columns(col(Stimulus.name), col(StudyVersion.study_id))
        .join(UnitMember, col(UnitMember.stimulus_id) == col(Stimulus.id))
        .join(Unit, col(Unit.id) == col(UnitMember.unit_id))
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .where(col(Stimulus.id).in_(here))
        .distinct()
    )
    for name, study_id in session.execute(shown):
        found[name].add(study_id)
    admitted = (
        select_columns(col(StudyClip.study_id), col(Stimulus.name))
        .join(Stimulus, col(Stimulus.id) == col(StudyClip.stimulus_id))
        .where(col(Stimulus.id).in_(here))
    )
    of_study: dict[int, set[str]] = {}
    for study_id, name in session.execute(admitted):
        of_study.setdefault(study_id, set()).add(name)
    drafts = select(Draft.study_id, Draft.keys).where(col(Draft.study_id).in_(list(of_study)))
    for study_id, keys in session.exec(drafts):
        for name in of_study[study_id].intersection(_kept_names(keys)):
            found[name].add(study_id)
    return {name: len(studies) for name, studies in found.items()}


def _kept_names(keys: object) -> Iterator[str]:
    """The stimuli that a draft lists, or keeps as drawn."""
    for part in parts_of(keys):
        sample = part.get("sample")
        drawn = {"pairs": sample.get("drawn")} if isinstance(sample, Mapping) else {}
        for _, *members in (*_named(part), *_named(drawn)):
            yield from members


def version_uses(session: Session, names: Collection[str]) -> Uses:
    """Like `uses_of`, in versions only."""
    return _by_name(names, _in_versions(session, names))


def _by_name(names: Collection[str], uses: Iterable[tuple[str, Use]]) -> Uses:
    found: dict[str, list[Use]] = {name: [] for name in names}
    for name, use in uses:
        found[name].append(use)
    return found


@dataclass(frozen=True, slots=True)
class DraftUses:
    """Uses of some stimuli in drafts, read before a write."""

    revisions: Mapping[int, int]
    uses: tuple[tuple[str, Use], ...]

    @classmethod
    def read(cls, session: Session, names: Collection[str]) -> "DraftUses":
        return cls(draft_revisions(session), tuple(_in_drafts(session, names)))

    def refuse_stale(self, session: Session) -> None:
        """Raises Stale where a draft has come, changed or gone since."""
        if draft_revisions(session) != self.revisions:
            raise Stale


def uses_for(session: Session, who: Who, uses: Sequence[Use]) -> list[Use]:
    """The uses with studies that the user does not see named as such."""
    return hidden(set(visible_slugs(session, who)), uses)


def hidden(visible: Collection[str], uses: Sequence[Use]) -> list[Use]:
    return [
        use if use.study in visible else Use(UNSEEN, use.version, (), use.is_frozen, use.is_drawn)
        for use in uses
    ]


def places(session: Session, who: Who, uses: Sequence[Use]) -> str:
    """The uses in one line."""
    named = list(dict.fromkeys(use.place for use in uses_for(session, who, uses)))
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return ", ".join(named[:5]) + more


def _in_versions(session: Session, names: Collection[str]) -> Iterator[tuple[str, Use]]:
    clips = select(Stimulus.id, Stimulus.name).where(col(Stimulus.name).in_(list(names)))
    name_of = dict(session.exec(clips).all())
    rows = session.execute(
        select_columns(
            col(Study.slug),
            col(StudyVersion.number),
            col(StudyVersion.frozen_at),
            col(Unit.name),
            col(UnitMember.stimulus_id),
        )
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .join(UnitMember, col(UnitMember.unit_id) == col(Unit.id))
        .where(col(UnitMember.stimulus_id).in_(list(name_of)))
        .order_by(col(Study.slug), col(StudyVersion.number), col(Unit.position), col(UnitMember.slot))
    )
    units: dict[tuple[str, str, int, bool], list[str]] = {}
    for slug, number, frozen_at, unit, stimulus_id in rows:
        units.setdefault((name_of[stimulus_id], slug, number, frozen_at is not None), []).append(unit)
    for (name, slug, number, is_frozen), listed in units.items():
        yield name, Use(slug, number, tuple(listed), is_frozen)


def _in_drafts(session: Session, names: Collection[str]) -> Iterator[tuple[str, Use]]:
    """A name that a draft lists though its study may not use the clip is no use of it."""
    drafts = select(Study, Draft.keys).join(Draft, col(Draft.study_id) == Study.id).order_by(Study.slug)
    for study, keys in session.exec(drafts):
        parts = [part for part in parts_of(keys) if any(part.get(key) is not None for key in _LISTS)]
        if not parts:
            continue
        stimuli = facts_for(session, StudyHere(study.id or 0, study.slug, State(study.state)))
        wanted = stimuli.keys() & names
        for part in parts:
            is_drawn = all(part.get(key) is None for key in ("pairs", "items"))
            units: dict[str, list[str]] = {}
            for unit, *members in _drawn(part, stimuli) if is_drawn else _named(part):
                for name in wanted.intersection(members):
                    units.setdefault(name, []).append(unit)
            for name, ids in units.items():
                yield name, Use(study.slug, None, tuple(ids), is_drawn=is_drawn)


def parts_of(keys: object) -> Iterator[Mapping[str, Any]]:
    """The parts of a draft that show stimuli: its own keys, and those of each of its blocks."""
    if isinstance(keys, dict):
        yield keys
        blocks = keys.get("blocks")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict):
                yield {**block, "truth": keys.get("truth")}


def _named(part: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    yield from _listed(part.get("pairs"))
    yield from _items(part.get("items"))


def _items(text: object) -> Iterator[tuple[str, str]]:
    for row in read_item_file("", text, by_row=True).rows if isinstance(text, str) else ():
        yield row.id, row.stimulus


def _listed(text: object) -> Iterator[tuple[str, str, str]]:
    for row in read_pair_file("", text, by_row=True).rows if isinstance(text, str) else ():
        yield row.id, row.a, row.b


def _drawn(keys: Mapping[str, Any], stimuli: Mapping[str, StimulusFacts]) -> Iterator[tuple[str, str, str]]:
    for pair in find_pairs(keys, stimuli).pairs:
        yield pair.id, pair.a, pair.b
