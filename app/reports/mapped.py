"""Answers from elsewhere, with their mapping file, into studies of the database: all of a file or nothing."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pandas as pd
from sqlmodel import Session

from analysis.data.columns import TIE
from analysis.data.elsewhere.mapping_file import MappingFile, read_mapping_file
from analysis.data.mapping import mapping_notes, read_mapped
from app.core.errors import StudyError
from app.questions.base import Question
from app.reports.imported import (
    ABOUT,
    MAPPED,
    CollectionDetails,
    Imported,
    refuse_known_studies,
    require_slug,
    store_study,
)
from app.reports.mapped_items import import_items
from app.studies.file.design import DesignTruth
from app.trials.stimuli import NO_SOURCE

# What the tables keep of answers that the service itself has taken, and of no others.
_OWN = (
    "version", "watched_a", "watched_b", "plays_a", "plays_b", "stalls", "hidden_ms", "excluded", "flags", "block",
)  # fmt: skip
_OF_PAIR = ("condition", "kind", "truth", "stimulus_a", "stimulus_b", "source_a", "source_b")
_OF_SESSION = ("participant", "arm", "mode")
_WHOLE = ("position", "rt_ms", "opened_ms", "interval_ms")
_LARGEST = 2**31 - 1


def import_mapped(session: Session, path: Path, mapping_path: Path, now: datetime) -> list[Imported]:
    """Store the answers of a file, one study for each that it names.

    Raises the analysis' errors for a bad file or mapping, StudyError for answers that the tables cannot hold and
    Conflict for a study that is there already; stores nothing then.
    """
    mapping = read_mapping_file(mapping_path)
    if mapping.kind != "2afc":
        return [import_items(session, path, mapping_path, mapping, now)]
    frame = read_mapped(path, mapping_path)
    _refuse_own(mapping)
    slugs = [str(slug) for slug in dict.fromkeys(frame["study"])]
    for slug in slugs:
        require_slug(path, slug)
    refuse_known_studies(session, slugs, path)
    notes = " ".join(mapping_notes(mapping_path))
    return [_store(session, path, mapping, slug, frame[frame["study"] == slug], notes, now) for slug in slugs]


def _store(
    session: Session,
    path: Path,
    mapping: MappingFile,
    slug: str,
    rows: pd.DataFrame,
    notes: str,
    now: datetime,
) -> Imported:
    if not {"stimulus_a", "stimulus_b"} <= mapping.given:
        # Made of the pairs' names, which another study may have, too.
        rows = rows.assign(**{f"stimulus_{m}": _in_study(rows[f"stimulus_{m}"], slug) for m in "ab"})
    _require_storable(path, slug, rows)
    asked = CollectionDetails(
        title=slug,
        consent=MAPPED,
        about=f"{ABOUT} {notes}".strip(),
        questions=tuple(_questions(rows)),
        truth=_truth(rows),
        sides_known=bool(rows["left"].notna().all()),
    )
    return store_study(session, slug, rows, asked, now)


def _in_study(names: pd.Series, slug: str) -> pd.Series:
    return f"{slug}-" + names.astype("str")


def _refuse_own(mapping: MappingFile) -> None:
    for name in _OWN:
        entry = {**mapping.columns, **mapping.constants}.get(name)
        if entry is not None:
            problem = f"a study keeps no {name} of answers that it did not collect"
            mapping.refuse(entry.line, name, problem, "remove it, and leave out rows that are not to count")


def _require_storable(path: Path, slug: str, rows: pd.DataFrame) -> None:
    """Refuse data that the tables cannot hold, each with an example pair, session or clip."""
    clips = pd.concat(
        [
            rows[[f"stimulus_{m}", f"source_{m}"]].astype("str").set_axis(["clip", "source"], axis=1)
            for m in "ab"
        ]
    )
    same = rows["stimulus_a"].astype("str") == rows["stimulus_b"].astype("str")
    if same.any():
        raise StudyError(f"{path}: {_where(rows, same)} shows the same clip twice; a pair has two")
    _require_one(path, rows, "pair", _OF_PAIR)
    _require_one(path, rows, "session", _OF_SESSION)
    _require_one(path, clips, "clip", ["source"])
    _require_text(path, rows)
    if rows["left"].notna().any() and rows["left"].isna().any():
        where = _where(rows, rows["left"].isna())
        raise StudyError(
            f"{path}: {where} has no `left`, and others of {slug} have; give it for all or for none"
        )
    if (rows["mode"] == "preview").any():
        raise StudyError(
            f"{path}: {_where(rows, rows['mode'] == 'preview')} is a preview, which counts nowhere"
        )
    for name in _WHOLE:
        large = (rows[name] > _LARGEST).fillna(False).astype(bool)
        if large.any():
            raise StudyError(f"{path}: {_where(rows, large)}: {name} is larger than {_LARGEST}")
    unplaced = rows["position"].isna() | rows.duplicated(["session", "position"])
    if unplaced.any():
        raise StudyError(
            f"{path}: {_where(rows, unplaced)} has no position of its own; leave `position` out to take the order of "
            "the rows"
        )


def _require_one(path: Path, rows: pd.DataFrame, key: str, names: Sequence[str]) -> None:
    """Refuse a pair, session or clip with two values in a column; an empty cell is one of them."""
    for name in names:
        texts = pd.DataFrame({key: rows[key].astype("str"), name: rows[name].astype("str").fillna("")})
        distinct = texts.drop_duplicates()
        again = distinct[distinct[key].duplicated()]
        if len(again):
            one = again[key].iloc[0]
            said = " and ".join(repr(text) for text in distinct.loc[distinct[key] == one, name].iloc[:2])
            raise StudyError(f"{path}: {key} {one!r} has {said} as its {name}; give one {name} to each {key}")


def _require_text(path: Path, rows: pd.DataFrame) -> None:
    """A zero byte is no text to a database."""
    for name in ("participant", "session", "arm", "pair", *_OF_PAIR, "rationale"):
        odd = rows[name].astype("str").str.contains("\0", regex=False).fillna(False).astype(bool)
        if odd.any():
            raise StudyError(f"{path}: {_where(rows, odd)}: {name} holds a zero byte; take it out")


def _where(rows: pd.DataFrame, which: pd.Series) -> str:
    row = rows[which.to_numpy()].iloc[0]
    return f"the answer of {str(row['participant'])!r} to pair {str(row['pair'])!r}"


def _questions(rows: pd.DataFrame) -> list[Question]:
    """The questions asked, as far as the answers show them."""
    ties = bool((rows["choice"] == TIE).any())
    found = [
        Question(id="choice", type="2afc", ask="Which of the two?", required=False, allow_tie=ties),
    ]
    if rows["uncertainty"].notna().any():
        labels = [str(point) for point in range(1, max(2, int(rows["uncertainty"].max())) + 1)]
        labels[0], labels[-1] = f"{labels[0]} (most certain)", f"{labels[-1]} (least certain)"
        found.append(
            Question(
                id="uncertainty", type="likert", ask="How uncertain?", required=False, labels=tuple(labels)
            )
        )
    if rows["certainty"].notna().any():
        points = rows["certainty"].astype(float)
        low, high = min(0.0, float(points.min())), max(1.0, float(points.max()))
        found.append(
            Question(
                id="certainty",
                type="slider",
                ask="How certain?",
                required=False,
                minimum=low,
                maximum=high,
                step=1,
            )
        )
    if rows["rationale"].notna().any():
        found.append(Question(id="rationale", type="text", ask="Why?", required=False, max_length=50_000))
    return found


def _truth(rows: pd.DataFrame) -> DesignTruth:
    """The source that is the true one, if the answers agree on one."""
    given = rows[rows["truth"].notna()]
    if not len(given):
        return DesignTruth(source=NO_SOURCE)
    is_a = (given["truth"] == "a").to_numpy()
    sources = given["source_a"].astype("str").where(is_a, given["source_b"].astype("str")).dropna().unique()
    return DesignTruth(source=str(sources[0])) if len(sources) == 1 and sources[0] else DesignTruth()
