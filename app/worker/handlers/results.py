"""The numbers of the results page: computed once for the answers there are, and kept until these change."""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from analysis import analyze, analyze_judgement_rows, analyze_rating_rows, compare_blocks
from analysis.data.naming import names_alike
from analysis.errors import AnalysisError
from analysis.findings.hypotheses import with_hypotheses
from analysis.findings.items import RatedItems
from analysis.findings.making import ResultsContext, items_view, play_view, results_view, with_items
from analysis.findings.model import Caution, Findings
from analysis.games.compare import GameMeasures
from analysis.judging import JudgeValidation, read_verdicts, validate_judges
from analysis.judging.items import BlockValidation, read_item_verdicts, validate_rating_rows
from analysis.options import RESAMPLES
from analysis.signatures import NoSignatures, PlaySignatures
from analysis.words import sentence
from app.core.errors import StudyError
from app.jobs import queue
from app.jobs.tables import Kind
from app.judges.moving import signatures_of_studies
from app.judges.standing import ABOUT, About, judges_here, runs_about, runs_with_verdicts
from app.judges.study import main_pairs
from app.library.clips.store import ClipStore
from app.library.places import judging_folder, results_folder
from app.library.tables import Stimulus
from app.outputs.outputs import VERDICTS
from app.reports.closing import closing_of
from app.reports.distances import kept_distances
from app.reports.expected import decided
from app.reports.facts import designs_of, play_alone
from app.reports.file_studies import flows_in
from app.reports.flow import flows_of
from app.reports.games import measures_by_game
from app.reports.kept import to_json
from app.reports.perceived import Played, matches_of_study, play_of_files
from app.reports.rated import ratings_frame
from app.reports.signatures import distances_of
from app.reports.sources import flow_in, leak_cautions, levels_of, noun_of, read_study
from app.reports.study_facts import StudyFacts
from app.sessions.about_person import pseudonym
from app.studies.queries import study_named
from app.tasks.game.match_files import MatchFile, NoMatchCounts, left_out_note
from app.trials.tables import Study, StudyVersion, Unit, UnitMember
from app.worker.context import Work
from app.worker.handlers.judging_before import notes_of

VIEW = "view.json"
_STEPS = 4


def compute_results(work: Work) -> dict[str, Any]:
    """`params`: slug, against (another study's, or empty), mode, key (what stands for the answers)."""
    folder = results_folder(work.settings.data_dir, work.job.id)
    shutil.rmtree(folder, ignore_errors=True)
    slug, against, mode = (str(work.params[name]) for name in ("slug", "against", "mode"))
    work.progress(0, _STEPS, "Reading the answers")
    with work.database.reading() as session:
        if what := play_alone(session, slug):
            _keep(folder, _played(work, session, slug, mode, what))
            _forget_older(work, slug, against, mode)
            return {"files": [VIEW]}
        read = [read_study(session, name) for name in (slug, against) if name]
        ratings = ratings_frame(session, slug)
        beside = ratings_frame(session, against) if against else ratings[:0]
        verdicts = _verdicts(session, slug, work.settings.data_dir)
        notes = notes_of(_origins(session, slug))
        clip_of = _clips(session, slug)
        designs = list(designs_of(session, slug).values())
        distances = kept_distances(session, designs[-1]) if designs else []
        work.progress(0, _STEPS, "How sources move and play")
        with work.computing():
            moves = signatures_of_studies(session, [slug], ClipStore(work.settings.data_dir))
            games, play, match_cautions = _matches(session, slug, mode)
    distances = [*distances, *distances_of(moves), *distances_of(play)]
    work.progress(1, _STEPS, "Computing")
    with work.computing():
        # Of this mode alone: who took part in another one was never to be counted here.
        frames = [frame[frame["mode"] == mode] for _, frame in read]
        rated = ratings[ratings["mode"] == mode]
        items, item_cautions = _items(rated, verdicts["items"], mode, beside)
        analysis = None
        if len(frames[0]) or not items:
            pairs = [
                (source.slug, frame) for (source, _), frame in zip(read, frames, strict=True) if len(frame)
            ]
            origins, answers = zip(*(pairs or [(slug, frames[0])]), strict=True)
            analysis = analyze(
                answers,
                mode=mode,
                origins=origins,
                resamples=RESAMPLES,
                flows=flows_in(source for source, _ in read),
            )
        closing = None
        if analysis is not None and distances and len(frames[0]):
            closing = closing_of({slug: frames[0]}, distances, mode, seed=1, resamples=RESAMPLES)
    work.progress(2, _STEPS, "Comparing judges with people")
    source, frame = read[0]
    validation: JudgeValidation | None = None
    cautions: Sequence[Caution] = ()
    if analysis is not None:
        with work.computing():
            validation, cautions = _judged(frame, verdicts["pairs"], mode)
    work.progress(3, _STEPS, "Writing")
    people = [
        *(analysis.studies[0].participants["participant"] if analysis else ()),
        *rated["participant"].unique(),
    ]
    around = ResultsContext(
        made_at=work.now(),
        until=_until([frame, ratings], mode),
        pseudonym=_pseudonyms(slug, people, work.settings.secret),
        levels=levels_of(source),
        flow=flow_in(source, mode),
        clip_of=clip_of,
        cautions=(
            *cautions,
            *item_cautions,
            *match_cautions,
            *leak_cautions(source),
            *names_cautions(frames[0], rated),
        ),
        closing=closing,
        signatures=moves,
        play=play,
        games=games,
        noun=noun_of(source),
        judge_notes=notes,
    )
    if analysis is None:
        view = items_view(items, around)
    else:
        view = with_items(results_view(analysis, around, validation), items, around.pseudonym)
    if isinstance(source, StudyFacts):
        with work.computing():
            view = with_hypotheses(view, decided(source, [frames[0], rated], mode=mode))
    _keep(folder, view)
    _forget_older(work, slug, against, mode)
    return {"files": [VIEW]}


def _played(work: Work, session: Session, slug: str, mode: str, what: str) -> Findings:
    """A study of matches or walks alone has nothing to analyze as answers: its matches are measured."""
    work.progress(0, _STEPS, "Replaying the matches")
    with work.computing():
        try:
            games, play, cautions = _measured(matches_of_study(session, slug, mode))
        except NoMatchCounts as error:
            games, play, cautions = (), NoSignatures(str(error)), ()
    flow = flows_of(session, slug).get(mode)
    return play_view(slug, mode, games, play, work.now(), what, flow, cautions)


Measured = tuple[Sequence[GameMeasures], Played | None, Sequence[Caution]]


def _matches(session: Session, slug: str, mode: str) -> Measured:
    """Measures of the matches; or a reason if they cannot be read."""
    try:
        return _measured(matches_of_study(session, slug, mode))
    except StudyError as error:
        return (), NoSignatures(str(error)), ()


def _measured(file: MatchFile | None) -> Measured:
    """The measures of the matches that are over, how sources play in them, and how many are left out."""
    play, note = play_of_files([file]), left_out_note([file] if file else [])
    # Where sources are compared, their notes have it.
    said = note and not isinstance(play, PlaySignatures)
    return (
        measures_by_game(file) if file else (),
        play,
        [Caution("Matches are left out.", note)] if said else (),
    )


def _items(
    rated: pd.DataFrame, verdicts: Path | None, mode: str, beside: pd.DataFrame
) -> tuple[RatedItems, Sequence[Caution]]:
    """The ratings of a study; `beside` are those of another for comparison."""
    if not len(rated):
        return RatedItems(), ()
    validations: Sequence[BlockValidation] = ()
    cautions: Sequence[Caution] = ()
    if verdicts is not None:
        try:
            validations = validate_rating_rows(
                [rated], read_item_verdicts(verdicts), mode=mode, resamples=RESAMPLES, origin="the verdicts"
            )
        except AnalysisError as error:
            cautions = [Caution("Judges cannot be held against raters.", sentence(str(error)))]
    blocks = analyze_rating_rows([rated], mode=mode, resamples=RESAMPLES)
    judgements = analyze_judgement_rows([rated], mode=mode, resamples=RESAMPLES)
    others = beside[beside["mode"] == mode]
    found = analyze_rating_rows([others], mode=mode, resamples=0) if len(others) else ()
    compared = compare_blocks([*blocks, *found], resamples=RESAMPLES)
    apart = [
        Caution(f"Ratings of {' and '.join(one.studies)} are not compared.", sentence(one.reason))
        for one in compared
        if one.reason
    ]
    return RatedItems(blocks, judgements, validations, compared), (*cautions, *apart)


def _are_of_items(verdicts: Path) -> bool:
    """True if a run's verdicts are about items: its file then has the column `value`."""
    with verdicts.open(encoding="utf-8") as file:
        return "value" in file.readline().strip().split(",")


def _keep(folder: Path, view: Findings) -> None:
    folder.mkdir(parents=True)
    # The page may read it meanwhile: it is there whole, or not yet.
    part = folder / f"{VIEW}.part"
    part.write_bytes(to_json(view))
    part.rename(folder / VIEW)


def _forget_older(work: Work, slug: str, against: str, mode: str) -> None:
    """The files of earlier runs of the same page: they were of fewer answers."""
    with work.database.reading() as session:
        study_id = work.job.study_id
        jobs = queue.jobs_of(session, Kind.RESULTS, study_id)
    for job in jobs:
        same = (job.params["slug"], job.params["against"], job.params["mode"]) == (slug, against, mode)
        if same and job.id < work.job.id:
            shutil.rmtree(results_folder(work.settings.data_dir, job.id), ignore_errors=True)


def _verdicts(session: Session, slug: str, data_dir: Path) -> Mapping[About, Path | None]:
    """The verdicts of pairs and of items that stand: of the newest run of each that still has its files."""
    runs = runs_with_verdicts(session, study_named(session, slug).id)
    otherwise: About = "pairs" if main_pairs(session, slug) else "items"
    found: dict[About, Path | None] = {"pairs": None, "items": None}
    for about in ABOUT:
        for job in runs_about(runs, about, otherwise):
            path = judging_folder(data_dir, job.id) / VERDICTS
            if job.result.get("origins") == {}:
                break  # the last judge was taken out
            if path.is_file():
                # A run of an earlier release does not say what it is about, but its file does.
                at: About = "items" if _are_of_items(path) else "pairs"
                found[at] = found[at] or path
                break
    return found


def _origins(session: Session, slug: str) -> Mapping[str, Mapping[str, Any]]:
    here = judges_here(runs_with_verdicts(session, study_named(session, slug).id), "pairs")
    return {
        name: {"file": one.file, "title": one.title, "at": one.at.isoformat() if one.at else ""}
        for name, one in here.items()
    }


def _judged(
    frame: pd.DataFrame, verdicts: Path | None, mode: str
) -> tuple[JudgeValidation | None, Sequence[Caution]]:
    if verdicts is None:
        return None, ()
    try:
        return validate_judges(frame, read_verdicts(verdicts), mode=mode, resamples=RESAMPLES), ()
    except AnalysisError as error:
        return None, [
            Caution(
                "Judges cannot be held against people.", str(error).replace(str(verdicts), "The verdicts")
            )
        ]


def names_cautions(*tables: pd.DataFrame) -> list[Caution]:
    """Names of pairs, items, clips, sources and conditions that look alike; people's own are on no page."""
    shown = [table.drop(columns="participant", errors="ignore") for table in tables]
    found = dict.fromkeys(said for table in shown for said in names_alike(table))
    return [Caution("Some names look alike.", f"{said}.") for said in found]


def _until(tables: Sequence[pd.DataFrame], mode: str) -> datetime | None:
    answered = pd.concat([table.loc[table["mode"] == mode, "answered_at"] for table in tables])
    times = pd.to_datetime(answered, utc=True).dropna()
    return times.max().to_pydatetime() if len(times) else None


def _pseudonyms(study: str, participants: Iterable[object], secret: str) -> Mapping[str, str]:
    """Pseudonyms that stay the same as answers come in and do not reveal participants' ids."""
    return {name: pseudonym(study, name, secret) for name in map(str, participants)}


def _clips(session: Session, slug: str) -> Callable[[str, str], str]:
    """The clip of a stimulus in a pair, as the newest version that has it showed it."""
    rows = session.execute(
        select_columns(col(Unit.name), col(Stimulus.name), col(UnitMember.sha256))
        .join(StudyVersion, col(StudyVersion.id) == Unit.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
        .where(col(Study.slug) == slug)
        .order_by(col(StudyVersion.number))
    )
    found = {(unit, stimulus): sha256 or "" for unit, stimulus, sha256 in rows}
    return lambda pair, stimulus: found.get((pair, stimulus), "")
