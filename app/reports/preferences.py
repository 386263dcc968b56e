"""Labels as preference records: `prompt`, `chosen`, `rejected`, as trainers of reward models read them [Wer20]_."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlmodel import Session, col, select

from analysis import majority_vote, select_rows
from analysis.data.columns import MODES
from analysis.data.selection import with_unwatched
from analysis.natural import natural
from analysis.results import table_rows
from app.reports.frames import responses_frame
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.tasks.pair.settings import PairDesign, pair_questions
from app.trials.tables import StudyVersion

Prompts = Mapping[tuple[int, str], str]
_PAIR = ("pair", "stimulus_a", "stimulus_b")


@dataclass(frozen=True, slots=True)
class Preferences:
    """One row per main pair that has a majority, or per pair and wording where arms ask in other words; `n_ties` have
    votes and no majority, and are left out."""

    rows: Sequence[Mapping[str, Any]]
    mode: str
    n_ties: int


def preferences(
    session: Session, slug: str, mode: str | None = None, *, unwatched: bool = False
) -> Preferences:
    """A study's preference records from the votes of one mode, by default live where there are live answers."""
    responses = responses_frame(session, slug)
    return preferences_of(with_unwatched(responses) if unwatched else responses, asked(session, slug), mode)


def asked(session: Session, slug: str) -> Prompts:
    """The question of each version, and arm of it, that a choice answers."""
    study = study_named(session, slug)
    versions = session.exec(
        select(StudyVersion.number, StudyVersion.design)
        .where(StudyVersion.study_id == study.id)
        .order_by(col(StudyVersion.number))
    )
    return prompts_of((number, StudyDesign.model_validate_json(design)) for number, design in versions)


def prompts_of(versions: Iterable[tuple[int, StudyDesign]]) -> Prompts:
    """The 2AFC question by version and arm, and by version alone, which is the study's own; of versions with pairs."""
    found: dict[tuple[int, str], str] = {}
    for number, design in versions:
        for arm, own in (("", design), *((one.id, design.for_arm(one.id)) for one in design.arms)):
            if own.blocks_of(PairDesign):
                found[number, arm] = prompt_of(own)
    return found


def prompt_of(design: StudyDesign) -> str:
    """The 2AFC question; a study file with pairs has exactly one."""
    return next(question.ask for question in pair_questions(design.blocks) if question.type == "2afc")


def preferences_of(responses: pd.DataFrame, prompts: Prompts, mode: str | None = None) -> Preferences:
    """Preference records of checked responses.

    One row of the result is one pair; its votes are counted over all versions in which it is the same two clips, and
    its prompt is that of the newest of them. Votes of arms that ask different questions are not counted together: each
    question has its own row.
    """
    rows = select_rows(responses, mode)
    rows = rows[(rows["kind"] == "main") & rows["choice"].notna()]
    voters = str(rows["mode"].iloc[0]) if len(rows) else mode or MODES[0]
    records, n_ties = list[dict[str, Any]](), 0
    for group in _asked_alike(rows, prompts):
        labels = table_rows(majority_vote(group))
        newest = group.sort_values("version", kind="stable").drop_duplicates(list(_PAIR), keep="last")
        asks = {
            tuple(map(str, pair)): _asked(prompts, int(version), arm)
            for *pair, version, arm in newest[[*_PAIR, "version", "arm"]].itertuples(index=False)
        }
        decided = [label for label in labels if label["majority"] != "tie"]
        records += [
            _record(label, asks[tuple(str(label[name]) for name in _PAIR)], voters) for label in decided
        ]
        n_ties += len(labels) - len(decided)
    return Preferences(records, voters, n_ties)


def _asked_alike(rows: pd.DataFrame, prompts: Prompts) -> Iterator[pd.DataFrame]:
    """The rows of arms that the newest version with a vote of theirs asks the same question."""
    arms = rows["arm"].astype(object).where(rows["arm"].notna(), "")
    newest = rows.groupby(arms)["version"].max()
    wording = {str(arm): _asked(prompts, int(version), arm) for arm, version in newest.items()}
    if not wording:
        yield rows
    for ask in dict.fromkeys(wording[arm] for arm in sorted(wording, key=natural)):
        yield rows[arms.map(wording) == ask]


def _asked(prompts: Prompts, version: int, arm: object) -> str:
    """An arm that the version does not have was asked in the study's own words."""
    name = arm if isinstance(arm, str) else ""
    return prompts.get((version, name)) or prompts[version, ""]


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
