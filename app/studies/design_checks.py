"""The checks of the launch checklist that the study file decides, with what other studies there are."""

from collections.abc import Iterator, Sequence

from sqlmodel import Session, col, select

from analysis.files.lookalikes import lookalike_notes
from app.core.problems import counted, listed
from app.studies.earlier import earlier_checks
from app.studies.file.design import StudyDesign
from app.studies.file.recruiters import RECRUITERS
from app.studies.file.templates import unfilled
from app.studies.numbers import number_checks
from app.studies.partners import partner_checks
from app.studies.timing import timing_checks
from app.tasks.registry import BLOCKS, DESIGNS
from app.trials.checks import Check, Checked
from app.trials.ending import Way
from app.trials.tables import Study

# Ways out that somebody takes in any study with a recruiter.
_USUAL = (Way.NO_CONSENT, Way.SCREENED_OUT, Way.FULL)


def design_checks(session: Session, design: StudyDesign) -> Iterator[Check]:
    """The checks of a design, those of its tasks' blocks among them."""
    yield _texts(design)
    yield _age(design)
    yield from _of_tasks(design)
    yield from partner_checks(design)
    yield from _names(design)
    yield from timing_checks(session, design)
    yield from earlier_checks(session, design)
    yield from number_checks(design)
    yield _retention(design)
    yield _completion(design)
    yield from _recruitment(session, design)


def _of_tasks(design: StudyDesign) -> Iterator[Check]:
    """The checks that each task makes of its blocks."""
    study = Checked(design.truth.source, design.consent.play_shown)
    for task, kind in DESIGNS.items():
        if blocks := [block for block in design.blocks if block.task == task]:
            yield from kind.checks(blocks, study)


def _texts(design: StudyDesign) -> Check:
    found = unfilled(design.model_dump(mode="json"))
    if found:
        at = ".".join(map(str, found[0].place))
        words = listed(list(dict.fromkeys(each.text for each in found))[:5], "and")
        return Check(
            "texts", "Consent and texts", "blocker", f"Still to be filled in: {words}.", f"design?at={at}"
        )
    detail = f"Consent text {design.consent.version}, and nothing in [BRACKETS] is left in any text."
    return Check("texts", "Consent and texts", "ok", detail, "design")


def _names(design: StudyDesign) -> Iterator[Check]:
    """Names that look alike, of units, stimuli or sources: often one of them, written in two ways."""
    columns: dict[str, list[str]] = {"stimulus": [*design.stimuli]}
    blocks = [block for task in BLOCKS for block in design.blocks if block.task == task]
    for block in blocks:
        for column, names in block.names().items():
            columns.setdefault(column, []).extend(names)
    found = lookalike_notes(
        (column, dict.fromkeys(columns[column])) for column in sorted(columns, key=_name_order)
    )
    detail = "".join(f"{said[:1].upper()}{said[1:]}. " for said in found).rstrip()
    if detail:
        action = next((block.edited_at for block in blocks if block.names()), "design")
        yield Check("names", "Names that look alike", "warning", detail, action)


def _name_order(column: str) -> int:
    """Units first, as their tasks call them, then what they have in common."""
    common = ("stimulus", "source", "condition")
    return common.index(column) + 1 if column in common else 0


def _age(design: StudyDesign) -> Check:
    age = design.consent.minimum_age
    if age is None:
        detail = "Participants are not asked for their age, so children may take part."
        return Check("age", "Minimum age", "warning", detail, "design?at=consent.minimum_age")
    return Check("age", "Minimum age", "ok", f"Only people of {age} or older take part.", "design")


def _completion(design: StudyDesign) -> Check:
    title, completion = "Completion", design.completion
    if completion.code or completion.redirect:
        parts = [
            *([f"the code {completion.code}"] if completion.code else []),
            *(["a link back"] if completion.redirect else []),
        ]
        return Check("completion", title, "ok", f"The last page has {listed(parts, 'and')}.", "design")
    detail = (
        "The last page has neither a completion code nor a link back: recruiters cannot see who finished."
    )
    return Check("completion", title, "warning", detail, "design?at=completion.code")


def _retention(design: StudyDesign) -> Check:
    title = "Retention"
    if design.retention is None:
        detail = "Nothing says after how many days participants' ids are erased, so they are kept until someone does."
        return Check("retention", title, "warning", detail, "design?at=retention")
    days = counted(design.retention.days, "day")
    detail = f"Ids can be erased {days} after a session's end, on the machine of the service."
    return Check("retention", title, "ok", detail, "design")


def _recruitment(session: Session, design: StudyDesign) -> Iterator[Check]:
    """Checks of who is kept out, and of the codes that the recruiter takes."""
    recruitment, title = design.recruitment, "Recruitment"
    if recruitment is None:
        return
    missing = unknown_studies(session, design)
    if missing:
        named = listed(missing, "and")
        detail = f"There is no study {named} here, so nobody who took part in it would be kept out."
        yield Check("recruitment", title, "blocker", detail, "design?at=recruitment")
        return
    known = RECRUITERS.get(recruitment.recruiter)
    without = (
        [way for way in _USUAL if not any(design.completion.end_of(way))] if known and known.codes else []
    )
    if without:
        detail = (
            f"{counted(len(without), 'way')} out without a code: the recruiter cannot see why people left."
        )
        yield Check("recruitment", title, "warning", detail, "recruiting")
        return
    detail = "The page Recruitment has the link to copy and what to enter at the recruiter."
    yield Check("recruitment", title, "ok", detail, "recruiting")


def unknown_studies(session: Session, design: StudyDesign) -> Sequence[str]:
    """The studies of `not_if_in` that are not there, in their order."""
    slugs = design.recruitment.not_if_in if design.recruitment else ()
    known = set(session.exec(select(Study.slug).where(col(Study.slug).in_(slugs))))
    return [slug for slug in slugs if slug not in known]


def notes_on_file(session: Session, design: StudyDesign) -> Sequence[str]:
    """Notes on a study file that has no fault: lines of the checklist that it already decides."""
    missing = unknown_studies(session, design)
    checks = (*timing_checks(session, design), *earlier_checks(session, design), *number_checks(design))
    return [
        *(f"recruitment: not_if_in: there is no study {slug} here yet" for slug in missing),
        *(f"{check.title}: {check.detail}" for check in checks),
    ]
