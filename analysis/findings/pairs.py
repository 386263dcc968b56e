"""The votes of each pair, turned so that the share is that of one known clip."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.choice.studies import StudyResult
from analysis.figures.votes import RIGHT, pair_votes
from analysis.findings.model import Clip
from analysis.findings.words import Noun
from analysis.results import table_rows

# The clips of a pair by its name and its stimuli, where the study has files.
ClipOf = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class VotedPair:
    """One main pair with votes. `share` is of the votes for `clip`: the right one, or that of the source that the
    study's preferences name first (`of_right` says which). `low` and `high` are Wilson's."""

    pair: str
    condition: str
    of_right: bool
    votes: int
    n: int
    share: float
    low: float
    high: float
    outcome: str
    ties: int
    blank: int
    clip: Clip
    other: Clip

    @property
    def is_open(self) -> bool:
        """The interval holds an even split, or votes for no difference keep either clip from a majority."""
        return self.low <= 0.5 <= self.high or self.outcome == "tie"

    @property
    def is_lost(self) -> bool:
        """Most people took the other clip for the right one, and not by chance alone."""
        return self.of_right and self.high < 0.5 and self.outcome == "against"


def votes_of(study: StudyResult, labels: pd.DataFrame, clip_of: ClipOf) -> tuple[VotedPair, ...]:
    """Each main pair of the study with a vote, highest share first."""
    rows = table_rows(labels[(labels["study"] == study.study) & (labels["kind"] == "main")])
    found = [one for row in rows if (one := _votes(row, study, clip_of)) is not None]
    return tuple(sorted(found, key=lambda one: -one.share))


def _votes(row: Mapping[str, Any], study: StudyResult, clip_of: ClipOf) -> VotedPair | None:
    votes = pair_votes(row, study)
    if not votes.n:
        return None
    clips = {
        member: Clip(
            row[f"stimulus_{member}"] or "",
            row[f"source_{member}"] or "",
            clip_of(row["pair"], row[f"stimulus_{member}"] or ""),
        )
        for member in ("a", "b")
    }
    other = "b" if votes.member == "a" else "a"
    return VotedPair(
        pair=votes.pair,
        condition=votes.condition,
        of_right=votes.target == RIGHT,
        votes=votes.votes,
        n=votes.n,
        share=votes.share,
        low=votes.low,
        high=votes.high,
        outcome=votes.outcome,
        ties=row["votes_tie"],
        blank=row["blank"],
        clip=clips[votes.member],
        other=clips[other],
    )


def right_source(pairs: Sequence[VotedPair], noun: Noun) -> str:
    """The right answer in words: ``the human``, ``the real text``, or ``the right clip`` where sources vary."""
    sources = {one.clip.source for one in pairs if one.of_right}
    if sources == {"human"}:
        return "the human"
    source = sources.pop() if len(sources) == 1 and "" not in sources else "right"
    return f"the {source} {noun.one}"
