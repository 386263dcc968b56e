"""Ratings, classes and yes / no judgements from elsewhere into a study of the database, a block of ratings."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import insert
from sqlmodel import Session, col, select

from analysis.data.elsewhere.mapping_file import MappingFile
from analysis.data.mapping import mapping_notes, read_judgements, read_ratings
from analysis.data.ordering import natural_ranks
from analysis.data.rating_table import Ratings, Scale
from app.core.errors import StudyError
from app.library.tables import Stimulus
from app.questions.base import Question
from app.reports.imported import (
    ABOUT,
    MAPPED,
    Imported,
    add_sessions,
    add_version,
    completed_design,
    records,
    refuse_known_studies,
    require_slug,
)
from app.studies.file.design import DesignTruth
from app.tasks.rating.items import DesignItem
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.stimuli import NO_SOURCE
from app.trials.tables import StudyVersion, Trial, Unit

_MOST_LABELS = 11
# Of what the database keeps of an item, as columns of a table of items.
_OF_ITEM = ("group", "condition", "truth")


def import_items(
    session: Session, path: Path, mapping_path: Path, mapping: MappingFile, now: datetime
) -> Imported:
    """Store ratings or yes / no judgements as a closed study of one block, named by the mapping or else by the file.

    An item that is a stimulus of the library by name is that stimulus; others become stimuli without a file. Raises the
    analysis' errors for a bad file, StudyError for data the tables cannot hold and Conflict for a known study.
    """
    option = mapping.options.get("study")
    slug = option.text if option else path.stem
    require_slug(path, slug)
    refuse_known_studies(session, [slug], path)
    of_kind = _ratings if mapping.kind == "ratings" else _judgements
    answers, questions, block, truth = of_kind(path, mapping_path)
    _require_storable(path, answers, mapping)
    items = answers.drop_duplicates("item").reset_index(drop=True)
    about = " ".join([ABOUT, *mapping_notes(mapping_path)])
    design = completed_design(
        slug,
        slug,
        MAPPED,
        about,
        DesignTruth(source=truth),
        RatingDesign(
            id=block,
            task="rating",
            order="fixed",
            watch="free",
            items=_items(session, slug, items, now),
            questions=tuple(questions),
        ),
    )
    version = add_version(session, design, now)
    n = _add_answers(session, version, answers, now)
    return Imported(slug, int(answers["participant"].nunique()), n)


def _ratings(path: Path, mapping_path: Path) -> tuple[pd.DataFrame, Sequence[Question], str, str]:
    """One row per item that a rater scored; `answers` has the scores by criterion."""
    ratings = read_ratings(path, mapping_path)
    table = ratings.table
    texts, numbers = table["score"].astype(object), ratings.scores()
    kept = [
        _stored_score(text, number, ratings, str(criterion))
        for text, number, criterion in zip(texts, numbers, table["criterion"], strict=True)
    ]
    # As in a study: what belongs together is a group, and in it items differ by condition.
    is_matched = bool(table["match"].notna().any())
    cells = pd.DataFrame(
        {
            "participant": table["rater"].astype("str"),
            "item": table["item"].astype("str"),
            "group": _texts_or_none(table["match" if is_matched else "group"]),
            "condition": _texts_or_none(table["group"]) if is_matched else None,
            "criterion": table["criterion"].astype("str"),
            "answer": pd.Series(kept, dtype=object),
        }
    )
    answers = _by_trial(cells.assign(truth=None), "criterion")
    return answers, [_question(name, cells, ratings) for name in ratings.criteria], "ratings", NO_SOURCE


def _texts_or_none(cells: pd.Series) -> pd.Series:
    return cells.astype(object).where(cells.notna(), None)


def _stored_score(text: Any, number: float, ratings: Ratings, criterion: str) -> str | int | float:
    """A score as the database keeps it: a text where it does not count as a number, empty where it was not given."""
    if pd.isna(text):
        return ""
    low, high = ratings.scale_of(criterion) or (-np.inf, np.inf)
    left_out = ratings.out_of_range == "drop" and not low <= number <= high
    if ratings.level == "nominal" or np.isnan(number) or left_out:
        return str(text)
    return int(number) if number.is_integer() else float(number)


def _question(name: str, cells: pd.DataFrame, ratings: Ratings) -> Question:
    """The question asked, as far as the scores show it."""
    given = cells.loc[cells["criterion"] == name, "answer"]
    scale = ratings.scale_of(name)
    low, high = scale or (None, None)
    asked: dict[str, Any] = {"id": name, "ask": name, "required": False, "minimum": low, "maximum": high}
    if ratings.level == "nominal":
        return Question(**asked, type="choice", options=tuple(_in_natural_order(given)))
    if ratings.level == "ordinal" and scale and _are_points(given, scale):
        labels = tuple(str(point) for point in range(1, int(scale[1]) + 1))
        return Question(**{**asked, "minimum": None, "maximum": None}, type="likert", labels=labels)
    return Question(**asked, type="number", level=None if ratings.level == "ordinal" else ratings.level)


def _in_natural_order(given: pd.Series) -> Iterator[str]:
    names = pd.Series([name for name in given.unique() if name != ""], dtype=object)
    yield from (str(names.iloc[place]) for place in np.argsort(natural_ranks(names), kind="stable"))


def _are_points(given: pd.Series, scale: Scale) -> bool:
    """True if the numeric scores are points, from 1, of a possible likert scale."""
    low, high = scale
    points = [score for score in given if not isinstance(score, str)]
    return (
        (low, high) == (1, int(high))
        and 2 <= high <= _MOST_LABELS
        and all(isinstance(point, int) and 1 <= point <= high for point in points)
    )


def _judgements(path: Path, mapping_path: Path) -> tuple[pd.DataFrame, Sequence[Question], str, str]:
    """One row per stimulus that a participant judged; a repeated judgement belongs to another session."""
    judgements = read_judgements(path, mapping_path)
    table = judgements.table.astype(object)
    table = table.where(table.notna(), None).rename(columns={"stimulus": "item"})
    question = Question(
        id="answer",
        type="choice",
        ask=f"{judgements.signal} or {judgements.noise}?",
        required=False,
        options=(judgements.signal, judgements.noise),
        yes_no=True,
    )
    table["answer"] = table["answer"].map(lambda said: "" if said is None else str(said))
    return (
        _by_trial(table.assign(group=None, question="answer"), "question"),
        [question],
        "judgements",
        judgements.signal,
    )


def _by_trial(cells: pd.DataFrame, question: str) -> pd.DataFrame:
    """One row per trial, in the order of the file, with its `answers` by question and `run`, the person's how-manieth.

    A second answer to the same question about the same item is a trial of the person's next run."""
    run = cells.groupby(["participant", "item", question], sort=False).cumcount()
    grouped = cells.assign(run=run).groupby(["participant", "run", "item"], sort=False)
    first = grouped[["group", "condition", "truth"]].first().reset_index()
    given = [dict(zip(part[question], part["answer"], strict=True)) for _, part in grouped]
    return first.assign(answers=pd.Series(given, dtype=object))


def _require_storable(path: Path, answers: pd.DataFrame, mapping: MappingFile) -> None:
    for name in _OF_ITEM:
        cells = pd.DataFrame({"item": answers["item"], name: answers[name].map(lambda one: one or "")})
        distinct = cells.drop_duplicates()
        again = distinct[distinct["item"].duplicated()]
        if len(again):
            one = again["item"].iloc[0]
            said = " and ".join(repr(text) for text in distinct.loc[distinct["item"] == one, name].iloc[:2])
            raise StudyError(
                f"{path}: {mapping.item} {one!r} has {said} as its {name}; give one {name} to each {mapping.item}"
            )
    for row in records(answers):
        texts = (
            *(row[name] for name in ("participant", "item", *_OF_ITEM)),
            *row["answers"],
            *row["answers"].values(),
        )
        if any(isinstance(text, str) and "\0" in text for text in texts):
            who, what = row["participant"], row["item"]
            raise StudyError(f"{path}: the answers of {who!r} about {what!r} hold a zero byte; take it out")


def _items(session: Session, slug: str, items: pd.DataFrame, now: datetime) -> tuple[DesignItem, ...]:
    """The items with their stimuli; missing ones are added to the library."""
    there = {
        one.name: one
        for one in session.exec(select(Stimulus).where(col(Stimulus.name).in_(set(items["item"]))))
    }
    rows = records(items)
    names = {row["item"]: row["item"] if row["item"] in there else f"{slug}-{row['item']}" for row in rows}
    session.add_all(
        Stimulus(name=names[row["item"]], source=row["truth"] or "", attributes={}, rules={}, imported_at=now)
        for row in rows
        if row["item"] not in there
    )
    session.flush()
    return tuple(
        DesignItem(
            id=row["item"],
            stimulus=names[row["item"]],
            source=row["truth"] or "",
            condition=row["condition"] or "",
            kind=Kind.MAIN,
            group=row["group"] or "",
            position=position,
            sha256=(there[row["item"]].shown_sha256 or "") if row["item"] in there else "",
        )
        for position, row in enumerate(rows, 1)
    )


def _add_answers(session: Session, version: StudyVersion, answers: pd.DataFrame, now: datetime) -> int:
    """One session for each person and run, one trial for each item; returns how many answers there are."""
    # \0 is in no name (refused above), so that no two runs fall together.
    runs = answers["participant"] + "\0" + answers["run"].astype("str")
    nowhen = pd.Series(pd.NaT, index=answers.index)
    rows = answers.assign(session=runs, arm=None, mode="live", shown_at=nowhen, answered_at=nowhen)
    rows["position"] = rows.groupby("session").cumcount() + 1
    unit_ids: Mapping[str, int] = dict(
        session.execute(select(Unit.name, Unit.id).where(Unit.version_id == version.id)).all()
    )
    session_ids = add_sessions(session, version, rows, now)
    found = records(rows)
    adding = insert(Trial).returning(col(Trial.id), sort_by_parameter_order=True)
    trials = [
        {
            "session_id": session_ids[row["session"]],
            "position": row["position"],
            "unit_id": unit_ids[row["item"]],
            "plan": {},
        }
        for row in found
    ]
    trial_ids = session.execute(adding, trials).scalars().all()
    session.execute(
        insert(Response),
        [
            {
                "session_id": session_ids[row["session"]],
                "trial_id": trial_id,
                "page": f"trial-{row['position']}",
                "submit_id": f"trial-{row['position']}.imported",
                "answers": row["answers"],
                "unplayable": False,
                "flags": [],
            }
            for row, trial_id in zip(found, trial_ids, strict=True)
        ],
    )
    return sum(len(row["answers"]) for row in found)
