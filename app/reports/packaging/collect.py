"""Writes the data files of a package from SQL, in one pass over each table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from sqlmodel import Session

from analysis import check_responses, majority_vote, read_responses, select_rows
from analysis.data.columns import RESPONSE_COLUMNS, names
from analysis.data.reading import read_rating_rows
from analysis.files.faults import noting
from analysis.results import table_rows
from app.exports.columns import Column
from app.exports.tables import SESSION
from app.reports.export import columns_of, rows_of, write_csv, write_jsonl
from app.reports.facts import tables_of
from app.reports.kinds import COUNTED_MODES, table_names
from app.reports.packaging.pseudonyms import Pseudonyms
from app.reports.packaging.tables import Table, data_path
from app.reports.preferences import preferences_of, prompts_of
from app.reports.study_facts import StudyFacts
from app.reports.tasks import table_of

PREFERENCES_PATH = "results/preferences.jsonl"


def selected_of(facts: StudyFacts) -> tuple[str, ...]:
    """The tables of a study's package that are read unchanged, participants first. Those of pairs are included, even
    without rows, unless there are ratings instead.
    """
    there = {*tables_of(version.design for version in facts.versions)}
    if not facts.has_ratings:
        there |= {*tables_of([])}
    order = dict.fromkeys(("participants", *table_names()))
    return tuple(what for what in order if what in there and table_of(what).rows is not None)


@dataclass(slots=True)
class Collection:
    """The tables written into a package's folder so far."""

    folder: Path
    facts: StudyFacts
    pseudonyms: Pseudonyms
    tables: list[Table] = field(default_factory=list)

    def add_selected(self, session: Session, what: str) -> None:
        """A table that is one SELECT. Previews stay out: they do not count."""
        by_arrival = self.pseudonyms.keeps_links
        real_ids = what == "participants" and self.pseudonyms.names is None
        found = rows_of(
            session, self.facts.slug, what, COUNTED_MODES, by_arrival=by_arrival, real_ids=real_ids
        )
        rows = self.pseudonyms.rows(found)
        columns = columns_of(session, self.facts.slug, what, real_ids=real_ids)
        self._add(what, what, data_path(self.facts.slug, what), rows, columns)

    def responses(self) -> pd.DataFrame:
        """The responses as a reader of the package will find them: its numbers are those of its own file."""
        table = next((table for table in self.tables if table.name == "responses"), None)
        if table is None or not table.n_rows:
            return check_responses(pd.DataFrame(columns=list(names(RESPONSE_COLUMNS))), "responses")
        with noting():  # of a file of ours, in a folder that is gone when the package is there
            return read_responses(self.folder / table.path)

    def ratings(self) -> pd.DataFrame | None:
        """The ratings as a reader of the package will find them; None where there are none."""
        table = next((table for table in self.tables if table.name == "ratings"), None)
        if table is None or not table.n_rows:
            return None
        with noting():
            return read_rating_rows(self.folder / table.path)

    def add_labels(self, responses: pd.DataFrame, mode: str) -> None:
        """The labels of `mode`, and those of every other mode with answers in separate tables."""
        there = {str(found) for found in responses["mode"].unique()}
        for each in (mode, *sorted(there - {mode})):
            name = "labels" if each == mode else f"labels-{each}"
            rows = table_rows(majority_vote(select_rows(responses, each))) if each in there else []
            self._add(name, "labels", data_path(self.facts.slug, name), rows)

    def add_preferences(self, responses: pd.DataFrame, mode: str) -> int:
        """The preference records of `mode`, if there are any; returns how many pairs are tied."""
        if not (responses["mode"] == mode).any():
            return 0
        prompts = prompts_of((version.number, version.design) for version in self.facts.versions)
        preferred = preferences_of(responses, prompts, mode)
        if preferred.rows:
            self._add("preferences", "preferences", PREFERENCES_PATH, preferred.rows)
        return preferred.n_ties

    def _add(
        self,
        name: str,
        what: str,
        path: str,
        rows: Iterable[Mapping[Any, Any]],
        wanted: Sequence[Column] | None = None,
    ) -> None:
        table = table_of(what)
        columns = self.pseudonyms.columns(table.columns if wanted is None else wanted)
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write = write_csv if path.endswith(".csv") else write_jsonl
        with target.open("wb") as file:
            n_rows = write(rows, columns, file)
        row_is = table.row_is if name == what else f"{table.row_is} Of mode {name.rpartition('-')[2]}."
        references = table.references
        if what == "answers" and not self._has_pairs_alone:
            references = (SESSION,)
        self.tables.append(Table(name, path, columns, row_is, n_rows, table.key, references))

    @property
    def _has_pairs_alone(self) -> bool:
        """True if all blocks are pairs; otherwise an answer's trial need not be in `responses`."""
        blocks = (block for version in self.facts.versions for block in version.design.blocks)
        return all(block.task == "pair" for block in blocks)
