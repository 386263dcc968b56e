"""Where clips are used: in versions of studies, and in the pair lists of drafts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, or_, select

from app.people.logins import Who
from app.study.access import visible_slugs
from app.study.file.pairs import read_pair_file
from app.study.tables import Draft, Pair, Stimulus, Study, StudyVersion


@dataclass(frozen=True, slots=True)
class Use:
    """A version's (or, where `version` is None, a draft's) pairs that show a clip."""

    study: str
    version: int | None
    pairs: tuple[str, ...]
    is_frozen: bool = False

    @property
    def place(self) -> str:
        where = "the draft" if self.version is None else f"version {self.version}"
        return f"{where} of {self.study}"


Uses = Mapping[str, Sequence[Use]]
UNSEEN = "a study that is not shared with you"


def uses_of(session: Session, names: Collection[str]) -> Uses:
    """By the clip's name, everywhere it is used: versions by study and number, then drafts."""
    found: dict[str, list[Use]] = {name: [] for name in names}
    for name, use in (*_in_versions(session, names), *_in_drafts(session, names)):
        found[name].append(use)
    return found


def seen_by(session: Session, who: Who, uses: Sequence[Use]) -> list[Use]:
    """The uses with studies that the user does not see named as such."""
    return hidden(set(visible_slugs(session, who)), uses)


def hidden(visible: Collection[str], uses: Sequence[Use]) -> list[Use]:
    return [use if use.study in visible else Use(UNSEEN, use.version, (), use.is_frozen) for use in uses]


def places(session: Session, who: Who, uses: Sequence[Use]) -> str:
    """The uses in one line."""
    named = list(dict.fromkeys(use.place for use in seen_by(session, who, uses)))
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return ", ".join(named[:5]) + more


def _in_versions(session: Session, names: Collection[str]) -> Iterator[tuple[str, Use]]:
    clips = select(Stimulus.id, Stimulus.name).where(col(Stimulus.name).in_(list(names)))
    name_of = dict(session.exec(clips).all())
    members = (col(Pair.stimulus_a_id), col(Pair.stimulus_b_id))
    rows = session.execute(
        select_columns(
            col(Study.slug), col(StudyVersion.number), col(StudyVersion.frozen_at), col(Pair.name), *members
        )
        .join(StudyVersion, col(StudyVersion.id) == col(Pair.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(or_(*(member.in_(list(name_of)) for member in members)))
        .order_by(col(Study.slug), col(StudyVersion.number), col(Pair.position))
    )
    pairs: dict[tuple[str, str, int, bool], list[str]] = {}
    for slug, number, frozen_at, pair, a, b in rows:
        for name in filter(None, (name_of.get(a), name_of.get(b))):
            pairs.setdefault((name, slug, number, frozen_at is not None), []).append(pair)
    for (name, slug, number, is_frozen), listed in pairs.items():
        yield name, Use(slug, number, tuple(listed), is_frozen)


def _in_drafts(session: Session, names: Collection[str]) -> Iterator[tuple[str, Use]]:
    drafts = select(Study.slug, Draft.keys).join(Draft, col(Draft.study_id) == Study.id).order_by(Study.slug)
    wanted = set(names)
    for slug, keys in session.exec(drafts):
        listed = keys.get("pairs") if isinstance(keys, dict) else None
        if not isinstance(listed, str):
            continue
        pairs: dict[str, list[str]] = {}
        for row in read_pair_file("", listed, by_row=True).rows:
            for name in {row.a, row.b} & wanted:
                pairs.setdefault(name, []).append(row.id)
        for name, ids in pairs.items():
            yield name, Use(slug, None, tuple(ids))
