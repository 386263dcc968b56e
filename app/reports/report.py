"""A report: one folder with a page that opens anywhere, its figures, its numbers as JSON and CSV, and the methods."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pandas as pd

from analysis import Analysis, analyze
from analysis.data.flow import Flow
from analysis.detection.studies import BlockJudgements, analyze_judgement_rows
from analysis.distances import CLOSING_HEAD, SourceDistance, closing_rows
from analysis.figures.closing import closing_figure
from analysis.findings.paper import paper_figures
from analysis.findings.signature_tables import Found as Moves
from analysis.findings.signature_tables import Played
from analysis.hypotheses import HypothesesDecided
from analysis.judging import JudgeValidation, validate_judges
from analysis.judging.items import BlockValidation, validate_rating_rows
from analysis.options import RESAMPLES
from analysis.ratings.between import BlocksCompared, compare_blocks
from analysis.ratings.studies import BlockRatings, analyze_rating_rows
from app.core.errors import StudyError
from app.reports.closing import closing_of
from app.reports.file_studies import FileStudy, flows_in, joined
from app.reports.kinds import COUNTED_MODES
from app.reports.page.drawn import csv_of
from app.reports.page.methods import methods_of
from app.reports.page.numbers import figures_in, results_in, tables_in
from app.reports.page.page import EMPTY, WARNINGS, numbers_in, report_page
from app.reports.page.parts import about_study, parts_of
from app.reports.page.writing import (
    OnProgress,
    csv_text,
    drawings,
    json_text,
    require_folder,
    silent,
    with_page,
    write_folder,
)
from app.reports.ratings import write_block_reports
from app.reports.signatures import distances_of, figures_of_signatures, signature_files

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.reports.sources import Source

# Of `write_report`, for a bar that has others before them.
_STEPS = 4


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """Facts about a report; `mode` is that of the analysed answers, and `n_*` count them.

    `ratings` are the pages of its blocks of ratings. Without answers to pairs, the counts are of rated items.
    """

    folder: Path
    files: tuple[str, ...]
    mode: str
    n_answers: int
    n_participants: int
    ratings: tuple[str, ...] = ()


# Round computations that report no progress and may be ended at any step.
Computing = Callable[[], AbstractContextManager[None]]


def build_report(
    session: "Session",
    slugs: str | Sequence[str],
    folder: Path,
    *,
    seed: int = 1,
    mode: str | None = None,
    made_at: datetime | None = None,
    signatures: Moves | None = None,
    play: Played | None = None,
    on_progress: OnProgress = silent,
    computing: Computing = nullcontext,
) -> ReportInfo:
    """Write the report of one study, or of several side by side, into `folder`.

    The mode is by default the first of live, simulated and pilot that has answers; previews never count. A file that
    is there already is replaced, once all files are made. `signatures` are of the paths of its clips, `play` of its
    matches.
    Raises NotFound for an unknown study, StudyError for a mode that is none or a folder that cannot be written.
    """
    # Imported here: a report of a file needs neither the database nor the designs of studies.
    from app.reports.distances import kept_distances
    from app.reports.facts import designs_of, refuse_play_alone
    from app.reports.rated import ratings_frame
    from app.reports.sources import read_study

    names = [slugs] if isinstance(slugs, str) else list(dict.fromkeys(slugs))
    read, rated, distances = [], [], list[SourceDistance]()
    for done, slug in enumerate(names):
        on_progress(done, len(names) + _STEPS, f"reading {slug}")
        refuse_play_alone(session, slug)
        read.append(read_study(session, slug))
        rated.append(ratings_frame(session, slug))
        newest = list(designs_of(session, slug).values())[-1:]
        distances += [one for design in newest for one in kept_distances(session, design)]
    studies, frames = joined(read)

    def progress(done: int, _total: int, what: str) -> None:
        on_progress(len(names) + done, len(names) + _STEPS, what)

    return write_reports(
        studies,
        frames,
        rated,
        folder,
        seed=seed,
        mode=mode,
        made_at=made_at,
        distances=distances,
        signatures=signatures,
        play=play,
        on_progress=progress,
        computing=computing,
    )


def write_reports(
    studies: "Sequence[Source]",
    frames: Mapping[str, pd.DataFrame],
    ratings: Sequence[pd.DataFrame],
    folder: Path,
    *,
    seed: int,
    mode: str | None,
    made_at: datetime | None,
    resamples: int = RESAMPLES,
    verdicts: pd.DataFrame | None = None,
    distances: Sequence[SourceDistance] = (),
    signatures: Moves | None = None,
    play: Played | None = None,
    item_verdicts: pd.DataFrame | None = None,
    independent: bool = False,
    rated_alone: "Sequence[Source]" = (),
    on_progress: OnProgress = silent,
    computing: Computing = nullcontext,
) -> ReportInfo:
    """Like `write_report`, with a report of each block of the checked `ratings`; `rated_alone` are studies of these
    that have no pairs, and are not among `studies`.

    A block of ratings next to answers to pairs, another block, `signatures` or `play` has a folder in `folder`, linked
    from the page of these. `item_verdicts` (`read_item_verdicts`) of judges are compared with the raters of these
    blocks.
    """
    require_reportable(folder, mode)
    chosen = mode or first_mode([*frames.values(), *ratings])
    of_mode = [frame for frame in ratings if (frame["mode"] == chosen).any()]
    unpaired = bool(of_mode) and not any((frame["mode"] == chosen).any() for frame in frames.values())
    alone = unpaired and signatures is None and play is None
    blocks: list[BlockRatings | BlockJudgements] = []
    judged: Sequence[BlockValidation] = ()
    compared: Sequence[BlocksCompared] = ()
    if of_mode:
        on_progress(0, _STEPS, "computing")
        with computing():
            rated = analyze_rating_rows(of_mode, mode=chosen, seed=seed, resamples=resamples)
            blocks += rated
            compared = compare_blocks(rated, seed=seed, resamples=resamples)
            blocks += analyze_judgement_rows(of_mode, mode=chosen, seed=seed, resamples=resamples)
            if item_verdicts is not None:
                judged = validate_rating_rows(
                    of_mode, item_verdicts, mode=chosen, seed=seed, resamples=resamples
                )
    every = [*studies, *rated_alone]
    titles = {study.slug: study.title for study in every}
    with computing():
        held = decided_by(every, frames, of_mode, chosen, seed=seed, resamples=resamples)
        pages = write_block_reports(
            blocks,
            titles,
            folder,
            alone=alone,
            made_at=made_at,
            judged=judged,
            compared=compared,
            hypotheses=held if unpaired else {},
            # Else the page to which these belong tells of the study.
            studies={one.slug: one for one in every if not isinstance(one, FileStudy)} if alone else {},
        )
    if alone and pages:
        on_progress(_STEPS, _STEPS, "done")
        info = ReportInfo(folder, (), chosen, 0, 0)
    else:
        info = write_report(
            studies,
            frames,
            folder,
            seed=seed,
            mode=chosen,
            made_at=made_at,
            resamples=resamples,
            verdicts=verdicts,
            distances=distances,
            signatures=signatures,
            play=play,
            independent=independent,
            on_progress=on_progress,
            computing=computing,
            beside=pages,
            hypotheses=held,
        )
    if not pages:
        return info
    # Those of earlier reports that lie here, too: of a run, the folder is new.
    there = (path for path in folder.rglob("*") if path.is_file())
    info = replace(info, files=tuple(sorted(str(path.relative_to(folder)) for path in there)), ratings=pages)
    if not unpaired:
        return info
    # A block may be there for its ratings, its classes and its judgements.
    counts = list({(one.study, one.block): one.selection for one in blocks}.values())
    return replace(
        info,
        n_answers=sum(one.n_used for one in counts),
        n_participants=max(one.n_participants_used for one in counts),
    )


def write_report(
    studies: "Sequence[Source]",
    frames: Mapping[str, pd.DataFrame],
    folder: Path,
    *,
    seed: int,
    mode: str | None,
    made_at: datetime | None,
    resamples: int = RESAMPLES,
    verdicts: pd.DataFrame | None = None,
    distances: Sequence[SourceDistance] = (),
    signatures: Moves | None = None,
    play: Played | None = None,
    independent: bool = False,
    on_progress: OnProgress = silent,
    computing: Computing = nullcontext,
    beside: Sequence[str] = (),
    hypotheses: Mapping[str, HypothesesDecided] = MappingProxyType({}),
) -> ReportInfo:
    """Like `build_report`, from checked responses by study; checked `verdicts` of judges are compared with people, and
    so are `distances` of sources to people, and those of `signatures` and `play`, which have sections.

    With `independent`, participants with one identifier in two studies are treated as different people. The page links
    to the pages `beside` it, and opens with the `hypotheses` of each study.
    """
    require_reportable(folder, mode)
    chosen = mode or first_mode(frames.values())
    on_progress(0, _STEPS, "computing")
    answered = _answered(frames, chosen)
    with computing():
        flows = flows_in(studies)
        analysis = _analysed(answered, flows, chosen, seed, resamples, independent=independent)
    judges = None
    if verdicts is not None and analysis is not None:
        on_progress(1, _STEPS, "comparing judges with people")
        with computing():
            judges = _judged(answered, verdicts, chosen, seed, resamples)
    found = None
    distances = [*distances, *distances_of(signatures), *distances_of(play)]
    if distances and answered:
        with computing():
            found = closing_of(answered, distances, chosen, seed=seed, resamples=resamples)
    parts = parts_of(
        *(studies, analysis, chosen, made_at, judges, found, signatures, play),
        are_rated=bool(beside),
        decided=hypotheses,
    )
    shown = [section for part in parts if part.findings for section in part.findings.sections]
    on_progress(2, _STEPS, "drawing")
    with computing():
        figures = list(figures_in(analysis, judges))
        if found is not None:
            figures.append(closing_figure(found))
        figures.extend(figures_of_signatures(signatures))
        figures.extend(figures_of_signatures(play))
        figures.extend(paper_figures(shown))
    on_progress(3, _STEPS, "writing")
    methods = methods_of(studies, analysis, chosen, seed, shown)
    files: dict[str, str | bytes] = {
        "methods.md": methods.markdown(),
        "results.json": json_text(results_in(analysis, hypotheses)),
    }
    if judges is not None:
        files["judges.json"] = json_text(judges.to_dict())
    if found is not None:
        files["closing.json"] = json_text(found.to_dict())
        files["tables/closing.csv"] = csv_text(CLOSING_HEAD, closing_rows(found))
    files |= signature_files(signatures) | signature_files(play)
    files |= tables_in(analysis, figures, judges)
    files |= drawings(figures)
    files |= {name: csv_of(numbers) for name, numbers in numbers_in(parts)}
    page = report_page(
        title=" and ".join(dict.fromkeys(study.title for study in studies)),
        about=(*(about_study(study, made_at) for study in studies),),
        warning=WARNINGS.get(chosen, "") if analysis or beside else EMPTY,
        parts=parts,
        methods=methods,
        files=sorted((*files, *beside)),
    )
    written = with_page(files, page)
    write_folder(folder, written)
    on_progress(_STEPS, _STEPS, "done")
    selections = [result.selection for result in analysis.studies] if analysis else []
    return ReportInfo(
        folder=folder,
        files=tuple(sorted(written)),
        mode=chosen,
        n_answers=sum(one.n_used for one in selections),
        n_participants=sum(one.n_participants_used for one in selections),
    )


def decided_by(
    studies: "Sequence[Source]",
    frames: Mapping[str, pd.DataFrame],
    ratings: Sequence[pd.DataFrame],
    mode: str,
    *,
    seed: int,
    resamples: int,
) -> dict[str, HypothesesDecided]:
    """The hypotheses of each study that has any, or is registered, by the answers of the mode."""
    known = [study for study in studies if not isinstance(study, FileStudy)]
    if not known:
        return {}
    from app.reports.expected import decided

    tables = [*frames.values(), *ratings]
    made = {study.slug: decided(study, tables, mode=mode, seed=seed, resamples=resamples) for study in known}
    return {slug: one for slug, one in made.items() if one is not None}


def require_reportable(folder: Path, mode: str | None) -> None:
    """Refuse a mode that is none and a folder that cannot be one, before any work is done."""
    if mode is not None and mode not in COUNTED_MODES:
        raise StudyError(f"mode {mode!r} cannot be reported; allowed: {', '.join(COUNTED_MODES)}")
    require_folder(folder)


def first_mode(frames: Iterable[pd.DataFrame]) -> str:
    """The default mode of an analysis: the first that has answers, else live."""
    there = {str(mode) for frame in frames for mode in frame["mode"].unique()}
    return next((mode for mode in COUNTED_MODES if mode in there), COUNTED_MODES[0])


def _answered(frames: Mapping[str, pd.DataFrame], mode: str) -> dict[str, pd.DataFrame]:
    """The answers that are no previews, of the studies that have any of the mode."""
    counted = {slug: frame[frame["mode"].isin(COUNTED_MODES)] for slug, frame in frames.items()}
    return {slug: frame for slug, frame in counted.items() if (frame["mode"] == mode).any()}


def _analysed(
    answered: Mapping[str, pd.DataFrame],
    flows: Mapping[str, Mapping[str, Flow]],
    mode: str,
    seed: int,
    resamples: int,
    *,
    independent: bool,
) -> Analysis | None:
    """The analysis of the studies that have answers of the mode, or None where none has."""
    if not answered:
        return None
    return analyze(
        list(answered.values()),
        mode=mode,
        seed=seed,
        resamples=resamples,
        origins=list(answered),
        independent=independent,
        flows=flows,
    )


def _judged(
    answered: Mapping[str, pd.DataFrame], verdicts: pd.DataFrame, mode: str, seed: int, resamples: int
) -> JudgeValidation:
    responses = pd.concat(answered.values(), ignore_index=True)
    return validate_judges(responses, verdicts, mode=mode, seed=seed, resamples=resamples)
