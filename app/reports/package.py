"""The study package: everything that a reader needs to understand, check and reuse a study, in one ZIP."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import Engine
from sqlmodel import Session

from app.catalog.packed import PackedCollections, packed_collections
from app.catalog.sheet import sheet_of
from app.core.errors import Conflict, StudyError
from app.core.spreadsheet import csv_lines
from app.core.whole_files import written_whole
from app.reports.facts import answered_trials
from app.reports.kinds import COUNTED_MODES
from app.reports.packaging import dictionary, psychds, texts
from app.reports.packaging.about import About, Card, card_of
from app.reports.packaging.archive import checksums, facts_of, facts_of_file, write_zip
from app.reports.packaging.collect import Collection, selected_of
from app.reports.packaging.croissant import croissant
from app.reports.packaging.datapackage import datapackage
from app.reports.packaging.pseudonyms import Pseudonyms, pseudonyms_of
from app.reports.packaging.texts import Contents
from app.reports.page.writing import OnProgress, json_text, silent
from app.reports.report import Computing, first_mode, write_reports
from app.reports.study_facts import StudyFacts, study_facts
from app.studies.file.bundle import COLLECTIONS
from app.studies.queries import study_named

_STEPS = ("labels", "report", "descriptions", "archive")


@dataclass(frozen=True, slots=True)
class PackageInfo:
    """A package as it lies at `path`; `answers` counts the answers to trials by mode, `n_ties` the tied pairs.

    `mode` is that of the labels, the preference records and the report.
    """

    path: Path
    size: int
    sha256: str
    files: tuple[str, ...]
    mode: str
    answers: Mapping[str, int]
    n_ties: int


def build_package(
    session: Session,
    slug: str,
    out: Path,
    *,
    made_at: datetime,
    study_files: Mapping[int, str] = MappingProxyType({}),
    mode: str | None = None,
    pseudonyms: bool = True,
    keeps_links: bool = False,
    about: About | None = None,
    seed: int = 1,
    on_progress: OnProgress = silent,
    computing: Computing = nullcontext,
) -> PackageInfo:
    """Write a study's package as a ZIP at `out`, atomically; equal data and `made_at` give equal bytes.

    `study_files` has the study file of each version as YAML, by number, if there is one. `mode` chooses the answers
    behind labels, preference records and report: by default the first of live, simulated and pilot that has any.
    Without `pseudonyms` the package names participants as their recruiter did. With them, session and trial numbers,
    seeds, the order of arrival and exact times are left out unless `keeps_links`, as they would identify participants
    for anyone with another export or a recruiter's records.

    Raises NotFound for an unknown study, Conflict for one without a version, StudyError for an invalid mode or if `out`
    cannot be written.
    """
    if mode is not None and mode not in COUNTED_MODES:
        raise StudyError(f"mode {mode!r} cannot be packed; allowed: {', '.join(COUNTED_MODES)}")
    made_at = made_at.astimezone(UTC)
    with _folder_beside(out) as folder:
        with _one_moment(session) as still:
            facts = _facts(still, slug)
            selected = selected_of(facts)
            steps = _Steps(on_progress, computing, len(selected) + len(_STEPS))
            names = pseudonyms_of(still, slug, keeps_links=keeps_links) if pseudonyms else Pseudonyms(None)
            collection = Collection(folder, facts, names)
            answered = answered_trials(still, slug)
            clips = packed_collections(still, study_named(still, slug).id or 0)
            for what in selected:
                steps.begin(what)
                collection.add_selected(still, what)
        steps.begin("labels")
        contents = _label(collection, answered, mode, seed, made_at, steps)
        steps.begin("descriptions")
        yaml = {v.number: study_files[v.number] for v in facts.versions if v.number in study_files}
        _write_materials(folder, facts, yaml)
        _write_collections(folder, clips)
        _describe(
            folder, card_of(facts, about or About(), made_at), replace(contents, study_files=tuple(yaml))
        )
        steps.begin("archive")
        files = tuple(facts_of(folder))
        with written_whole(out) as file:
            write_zip(folder, file)
    steps.end()
    packed = facts_of_file(out)
    return PackageInfo(
        out, packed.size, packed.sha256, files, contents.mode, contents.answers, contents.n_ties
    )


class _Steps:
    """Tells how far a package is."""

    def __init__(self, on_progress: OnProgress, computing: Computing, total: int) -> None:
        self._on_progress = on_progress
        self._total = total
        self.computing = computing
        self._done = -1

    def begin(self, step: str) -> None:
        self._done += 1
        self._on_progress(self._done, self._total, str(step))

    def end(self) -> None:
        self._on_progress(self._total, self._total, "done")


@contextmanager
def _one_moment(session: Session) -> Iterator[Session]:
    """A session to which the whole database is of one moment, while answers go on coming.

    SQLite's transactions are so anyway; PostgreSQL's are when they are begun so.
    """
    engine = session.get_bind()
    if engine.dialect.name != "postgresql" or not isinstance(engine, Engine):
        yield session
        return
    with Session(engine.execution_options(isolation_level="REPEATABLE READ")) as still:
        yield still


def _facts(session: Session, slug: str) -> StudyFacts:
    facts = study_facts(session, slug)
    if not facts.versions:
        raise Conflict.of_study(slug, "has no version yet; save its design before you pack it")
    return facts


def _label(
    collection: Collection,
    answered: Mapping[str, int],
    mode: str | None,
    seed: int,
    made_at: datetime,
    steps: _Steps,
) -> Contents:
    """Labels, preference records and the report, from the responses as they were written."""
    responses = collection.responses()
    ratings = collection.ratings()
    chosen = mode or first_mode([responses] if ratings is None else [responses, ratings])
    facts = collection.facts
    n_ties = 0
    if facts.has_pairs or not facts.has_ratings:
        collection.add_labels(responses, chosen)
        n_ties = collection.add_preferences(responses, chosen)
    steps.begin("report")
    write_reports(
        [facts],
        {facts.slug: responses},
        [] if ratings is None else [ratings],
        collection.folder / "results",
        seed=seed,
        mode=chosen,
        made_at=made_at,
        computing=steps.computing,
    )
    return Contents(
        facts=facts,
        tables=tuple(collection.tables),
        answers={each: answered.get(each, 0) for each in COUNTED_MODES},
        mode=chosen,
        n_ties=n_ties,
        seed=seed,
        has_pseudonyms=collection.pseudonyms.names is not None,
        keeps_links=collection.pseudonyms.keeps_links,
    )


@contextmanager
def _folder_beside(out: Path) -> Iterator[Path]:
    """A folder on the disk of `out` that is gone at the end of the block."""
    if out.is_dir():  # told before minutes of work
        raise StudyError(f"cannot write {out}: it is a folder; name a file in it")
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
    except OSError as error:
        raise StudyError(f"cannot write {out}: {error.strerror}") from None
    try:
        yield folder
    except OSError as error:
        raise StudyError(f"cannot write {out}: {error.strerror}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_materials(folder: Path, facts: StudyFacts, study_files: Mapping[int, str]) -> None:
    for version in facts.versions:
        place = f"materials/version-{version.number}"
        _write(folder, f"{place}/design.json", version.canonical)
        if version.number in study_files:
            _write(folder, f"{place}/study.yaml", study_files[version.number])


def _write_collections(folder: Path, packed: PackedCollections) -> None:
    """The collections, and their clips as the table that the library takes back."""
    _write(folder, f"materials/{COLLECTIONS}", json_text(packed.model_dump(mode="json")))
    clips = [clip for each in packed.collections for clip in each.clips]
    _write(folder, "materials/clips.csv", sheet_of([(one.name, one.source, one.attributes) for one in clips]))


def _describe(folder: Path, card: Card, contents: Contents) -> None:
    """Write the files that describe the others; checksums last, as they cover all."""
    tables = contents.tables
    data_files = [table for table in tables if table.is_csv]
    for table in data_files:
        _write(folder, table.path.removesuffix(".csv") + ".json", json_text(psychds.sidecar(card, table)))
    _write(folder, "dataset_description.json", json_text(psychds.dataset_description(card, data_files)))
    _write(folder, psychds.IGNORE_FILE, "".join(f"{name}\n" for name in psychds.IGNORED))
    rows = dictionary.dictionary_rows(tables)
    _write(folder, "documentation/data-dictionary.csv", "".join(csv_lines(rows, dictionary.HEAD)))
    _write(folder, "documentation/data-dictionary.json", json_text(dictionary.dictionary(tables)))
    _write(folder, "README.md", texts.readme(card, contents))
    _write(folder, "CHANGES.md", texts.changes(card, contents))
    _write(folder, "analysis/rerun.md", texts.rerun(contents))
    files = facts_of(folder)
    _write(folder, "datapackage.json", json_text(datapackage(card, tables, files)))
    _write(folder, "croissant.json", json_text(croissant(card, tables, files)))
    _write(folder, "SHA256SUMS", checksums(facts_of(folder)))


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
