"""Labels as preference records: `prompt`, `chosen`, `rejected`, as trainers of reward models read them [Wer20]_."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlmodel import Session, col, select

from analysis import majority_vote, select_rows
from analysis.data.columns import MODES
from analysis.data.selection import with_unwatched
from analysis.results import table_rows
from app.reports.frames import responses_frame
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.tasks.pair.settings import PairDesign, pair_questions
from app.trials.tables import StudyVersion

_PAIR = ("pair", "stimulus_a", "stimulus_b")


@dataclass(frozen=True, slots=True)
class Preferences:
    """One row per main pair that has a majority; `n_ties` pairs have votes and none, and are left out."""

    rows: Sequence[Mapping[str, Any]]
    mode: str
    n_ties: int


def preferences(
    session: Session, slug: str, mode: str | None = None, *, unwatched: bool = False
) -> Preferences:
    """A study's preference records from the votes of one mode, by default live where there are live answers."""
    responses = responses_frame(session, slug)
    return preferences_of(with_unwatched(responses) if unwatched else responses, asked(session, slug), mode)


def asked(session: Session, slug: str) -> Mapping[int, str]:
    """The question of each version that a choice answers."""
    study = study_named(session, slug)
    versions = session.exec(
        select(StudyVersion.number, StudyVersion.design)
        .where(StudyVersion.study_id == study.id)
        .order_by(col(StudyVersion.number))
    )
    designs = {number: StudyDesign.model_validate_json(design) for number, design in versions}
    return {number: prompt_of(design) for number, design in designs.items() if design.blocks_of(PairDesign)}


def prompt_of(design: StudyDesign) -> str:
    """The 2AFC question; a study file with pairs has exactly one."""
    return next(question.ask for question in pair_questions(design.blocks) if question.type == "2afc")


def preferences_of(
    responses: pd.DataFrame, prompts: Mapping[int, str], mode: str | None = None
) -> Preferences:
    """Preference records of checked responses.

    One row of the result is one pair; its votes are counted over all versions in which it is the same two clips, and
    its prompt is that of the newest of them.
    """
    rows = select_rows(responses, mode)
    rows = rows[(rows["kind"] == "main") & rows["choice"].notna()]
    voters = str(rows["mode"].iloc[0]) if len(rows) else mode or MODES[0]
    labels = table_rows(majority_vote(rows))
    newest = rows.groupby(list(_PAIR), observed=True)["version"].max().to_dict()
    records = [
        _record(label, prompts[int(newest[tuple(label[name] for name in _PAIR)])], voters)
        for label in labels
        if label["majority"] != "tie"
    ]
    return Preferences(records, voters, len(labels) - len(records))


def _record(label: Mapping[str, Any], prompt: str, mode: str) -> dict[str, Any]:
    chosen, rejected = ("a", "b") if label["majority"] == "a" else ("b", "a")
    return {
        "study": label["study"],
        "pair": label["pair"],
        "condition": label["condition"],
        "prompt": prompt,
        "chosen": label[f"stimulus_{chosen}"],
        "rejected": label[f"stimulus_{rejected}"],
        "chosen_source": label[f"source_{chosen}"],
        "rejected_source": label[f"source_{rejected}"],
        "share": label[f"votes_{chosen}"] / label["n"],
        "n": label["n"],
        "mode": mode,
    }
