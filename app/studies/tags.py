"""Tags of studies: words by which people find them in the list."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, select

from app.accounts.audit import Actor, record
from app.core.errors import StudyError
from app.core.schema import clean
from app.studies.access import StudyHere
from app.studies.tables import StudyTag

MOST_TAGS = 10
LONGEST_TAG = 40


class BadTag(StudyError):
    status_code = 422


def tags_in(text: str) -> Sequence[str]:
    """The tags of a text with commas between them. Raises BadTag."""
    return checked_tags(text.split(","))


def checked_tags(tags: Iterable[str]) -> Sequence[str]:
    """Tags without blanks at their ends, each once whatever its capitals, sorted. Raises BadTag."""
    found: dict[str, str] = {}
    for each in tags:
        tag = " ".join(clean(each).split())
        if "," in tag:
            raise BadTag(f"The tag {tag[:LONGEST_TAG]!r} has a comma; make two tags of it.")
        if len(tag) > LONGEST_TAG:
            raise BadTag(f"The tag {tag[:LONGEST_TAG]!r} is too long; {LONGEST_TAG} characters are allowed.")
        if tag:
            found.setdefault(tag.casefold(), tag)
    if len(found) > MOST_TAGS:
        raise BadTag(f"{len(found)} tags are too many; a study has at most {MOST_TAGS}.")
    return sorted(found.values(), key=str.casefold)


def set_tags(
    session: Session, by: Actor, study: StudyHere, tags: Iterable[str], now: datetime
) -> Sequence[str]:
    """Put these tags in the place of the study's. Raises BadTag."""
    new, before = checked_tags(tags), tags_of(session, [study.id]).get(study.id, ())
    if list(new) == list(before):
        return new
    session.execute(delete(StudyTag).where(col(StudyTag.study_id) == study.id))
    session.add_all(StudyTag(study_id=study.id, tag=tag) for tag in new)
    record(session, by, "study.tags", now=now, study=study.slug, before=list(before), after=list(new))
    return new


def tags_of(session: Session, ids: Sequence[int]) -> dict[int, list[str]]:
    """The tags of each of these studies that has some."""
    found: dict[int, list[str]] = {}
    for row in session.exec(select(StudyTag).where(col(StudyTag.study_id).in_(ids))):
        found.setdefault(row.study_id, []).append(row.tag)
    return {study: sorted(tags, key=str.casefold) for study, tags in found.items()}
