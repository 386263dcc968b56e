"""Sources of a report: a study in the database, or a study in an exported file."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
from sqlmodel import Session

from analysis.data.flow import Flow, flow_of
from analysis.findings.model import Caution
from analysis.findings.words import ITEM, NOUNS, Noun
from app.reports.file_studies import FileStudy, flows_in
from app.reports.frames import responses_frame
from app.reports.hntt import IMPORTED
from app.reports.imported import ABOUT, MAPPED, taken_of
from app.reports.study_facts import StudyFacts, study_facts
from app.reports.targets import is_file
from app.tasks.pair.settings import PairDesign, pair_questions

_IMPORT = "an import in the layout of the published Human Navigation Turing Test"
_IMPORT_MAPPED = "an import with a mapping file"
_TAKEN = (
    "Video A is taken to have been on the left, and the questions to have been asked in the order of their numbers: "
    "side bias, order and learning rest on that."
)

Source = StudyFacts | FileStudy
Tables = Mapping[str, pd.DataFrame]


def read_study(session: Session, slug: str) -> tuple[Source, pd.DataFrame]:
    """Raises NotFound for an unknown study. For imported answers, nothing is stated that they do not contain."""
    return source_of(session, slug), responses_frame(session, slug)


def source_of(session: Session, slug: str) -> Source:
    """Raises NotFound for an unknown study."""
    facts = study_facts(session, slug)
    consent = facts.versions[-1].design.consent if facts.versions else None
    if consent and consent.version == IMPORTED:
        return FileStudy(slug, _IMPORT, facts.title, _TAKEN)
    if consent and consent.version == MAPPED and consent.text.startswith(ABOUT):
        return FileStudy(slug, _IMPORT_MAPPED, facts.title, taken_of(consent.text))
    return facts


def noun_of(study: Source) -> Noun:
    """The kind of stimuli in its pairs: clips, records or texts; unknown for answers from elsewhere."""
    if isinstance(study, FileStudy) or not study.versions:
        return ITEM
    kinds = {block.shows for block in study.versions[-1].design.blocks_of(PairDesign) if block.pairs}
    return NOUNS[kinds.pop().value] if len(kinds) == 1 else ITEM


def flow_in(study: Source, mode: str) -> Flow | None:
    """The flow of a mode's sessions; None for a file, which tells no more than its answers do."""
    return None if isinstance(study, FileStudy) else study.flows.get(mode) or flow_of(mode, ())


def flows_of_studies(session: Session | None, targets: Sequence[str]) -> Mapping[str, Mapping[str, Flow]]:
    """`flows_in`, of the targets that are studies."""
    return flows_in(source_of(session, one) for one in targets if not is_file(one)) if session else {}


def leak_cautions(source: Source) -> Iterable[Caution]:
    """Cautions about single clues that predict the source of records or texts, to be read with people's accuracy."""
    for block in source.leaks if isinstance(source, StudyFacts) else ():
        allowed = [f"{leak.name}: {leak.says}." for leak in block.leaks]
        if block.trivial is not None or allowed:
            trivial = [block.trivial.says] if block.trivial is not None else []
            yield Caution(f"What one clue alone says in {block.block}.", " ".join([*trivial, *allowed]))


def levels_of(source: Source) -> Sequence[str]:
    """The labels of the certainty scale in the newest version."""
    if not isinstance(source, StudyFacts) or not source.versions:
        return ()
    questions = pair_questions(source.versions[-1].design.blocks)
    scales = (one for one in questions if (one.id, one.type) == ("uncertainty", "likert"))
    return next((tuple(getattr(one, "labels", None) or ()) for one in scales), ())
