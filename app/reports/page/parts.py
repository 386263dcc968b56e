"""Parts of a report: what Results shows of each of its studies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from analysis import Analysis
from analysis.choice.studies import StudyResult
from analysis.distances import Closing
from analysis.findings.hypotheses import with_hypotheses
from analysis.findings.making import ResultsContext, alone, moves_view, results_view
from analysis.findings.signature_tables import Found as Moves
from analysis.findings.signature_tables import Played
from analysis.findings.words import ITEM
from analysis.hypotheses import HypothesesDecided
from analysis.judging import JudgeValidation
from analysis.natural import natural
from app.reports.file_studies import FileStudy
from app.reports.page.page import Part
from app.reports.page.writing import made_words

if TYPE_CHECKING:
    from app.reports.sources import Source
    from app.reports.study_facts import StudyFacts


def parts_of(
    studies: "Sequence[Source]",
    analysis: Analysis | None,
    mode: str,
    made_at: datetime | None,
    judges: JudgeValidation | None,
    found: Closing | None,
    signatures: Moves | None,
    play: Played | None,
    *,
    are_rated: bool,
    decided: Mapping[str, HypothesesDecided] = MappingProxyType({}),
) -> list[Part]:
    """Each study as Results shows it; parts on all studies belong to the first that has answers."""
    results = {result.study: result for result in analysis.studies} if analysis else {}
    first = next(iter(results), studies[0].slug if studies else "")
    parts = []
    for study in studies:
        is_first = study.slug == first
        around = ResultsContext(
            made_at=made_at,
            until=None,
            pseudonym=_numbered(results.get(study.slug)),
            clip_of=lambda _pair, _stimulus: "",
            levels=(),
            flow=None,
            closing=found if is_first else None,
            signatures=signatures if is_first else None,
            play=play if is_first else None,
            noun=ITEM,
        )
        if not isinstance(study, FileStudy):
            around = _with_facts(around, study, mode)
        if analysis is not None and study.slug in results:
            shown = analysis if is_first else alone(analysis, study.slug)
            view = results_view(shown, around, judges if is_first else None)
            parts.append(Part(study.title, with_hypotheses(view, decided.get(study.slug))))
            continue
        reason = "" if are_rated else f"No numbers: there is no answer of mode {mode}."
        moves = moves_view(study.slug, mode, around) if is_first and (signatures or play) else None
        if moves or reason:
            parts.append(Part(study.title, moves, reason))
    return parts


def _numbered(study: StudyResult | None) -> Mapping[str, str]:
    """Participants by number: a report is handed on, and their own names are in its tables alone."""
    people = sorted(map(str, study.participants["participant"]), key=natural) if study else []
    width = len(str(len(people)))
    return {name: f"p-{place:0{width}}" for place, name in enumerate(people, start=1)}


def _with_facts(around: ResultsContext, study: "StudyFacts", mode: str) -> ResultsContext:
    """The context with what a study in the database tells besides its answers."""
    # Imported here: a report of a file needs neither the database nor the designs of studies.
    from app.reports.sources import flow_in, leak_cautions, levels_of, noun_of

    return replace(
        around,
        levels=levels_of(study),
        flow=flow_in(study, mode),
        cautions=tuple(leak_cautions(study)),
        noun=noun_of(study),
    )


def about_study(study: "Source", made_at: datetime | None) -> str:
    """The line below the title: study, version, time of the report."""
    version = (
        "" if isinstance(study, FileStudy) or not study.versions else f", version {study.versions[-1].number}"
    )
    made = made_words(made_at)
    origin = f", from {study.origin}" if isinstance(study, FileStudy) else ""
    return f"Study {study.slug}{version}{origin}. Report by Likely Human{f', {made}' if made else ''}."
