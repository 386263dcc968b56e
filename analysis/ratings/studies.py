"""The ratings of studies: from the rows of exported tables to the analysis of each block of ratings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from analysis.data.columns import SELF
from analysis.data.rating_table import Ratings
from analysis.data.selection import Selection, choose_mode, select
from analysis.options import RESAMPLES, Level
from analysis.ratings.arms import by_arm, compare_classes_by_arm, compare_ratings_by_arm
from analysis.ratings.counted import LEVELS, level_of, ratings_in, scored_once, scores_in, that_count
from analysis.ratings.groups import Quartiles, quartiles_of
from analysis.ratings.paired import PairedScores, self_compared
from analysis.ratings.scores import RatingAnalysis, analyze_ratings
from analysis.ratings.what_if import ratings_what_if
from analysis.results import Result
from analysis.stats.arms import ArmsCompared
from analysis.stats.what_if import WhatIf

# What an item is of, the first that any item of a block has.
GROUPINGS = ("group", "condition")
_ABOUT = ("item", "group", "condition", "stimulus", "source")


@dataclass(frozen=True, slots=True, eq=False)
class RatedBlock:
    """The answers of one block of one study that count, of one `level`; see `BlockRatings`.

    `own` has `criterion`, `rater` and `mean`: the scores that raters gave themselves, once each. `by_arm` has
    `arm`, `rater`, `criterion` and `score` of each answer that counts."""

    study: str
    block: str
    selection: Selection
    n_sessions_excluded: int
    n_repeated: int
    grouped_by: str | None
    items: pd.DataFrame
    ratings: Ratings
    matched_by: str | None
    own: pd.DataFrame
    by_arm: pd.DataFrame
    rows: pd.DataFrame
    """All answers to its questions, those that do not count among them."""


@dataclass(frozen=True, slots=True)
class OwnScores(Result):
    """Raters' scores of themselves by one criterion: number, mean, SD (ddof 1) and quartiles."""

    criterion: str
    n: int
    mean: float
    sd_ddof1: float | None
    quartiles: Quartiles


@dataclass(frozen=True, slots=True)
class SelfAssessment(Result):
    """Raters' scores of themselves with a block, compared with their scores of items.

    `n_raters` gave themselves a score; `criteria` have one `PairedScores` each, over the raters who gave one to
    themselves and to items. `not_asked` are the criteria without a question about oneself, such as those of one group
    of items. `reason` says why numbers cannot be compared, if so. `scores` are all scores of themselves.
    """

    n_raters: int
    criteria: tuple[PairedScores, ...]
    not_asked: tuple[str, ...]
    reason: str | None
    scores: tuple[OwnScores, ...]

    def labelled(self, labels: Mapping[str, str]) -> "SelfAssessment":
        """The same with criteria under other names, to be shown."""
        return replace(
            self,
            criteria=tuple(one.labelled(labels) for one in self.criteria),
            not_asked=tuple(labels[name] for name in self.not_asked),
            scores=tuple(replace(one, criterion=labels[one.criterion]) for one in self.scores),
        )


@dataclass(frozen=True, slots=True, eq=False)
class BlockRatings(Result):
    """One block of ratings of one study. `selection` counts rated items: a page with all of its questions is one.

    `n_sessions_excluded` are sessions of the mode with an answer excluded by a rule, `n_repeated` scores that a
    participant gave to an item a second time, in another session: the first counts. Items are grouped by their
    `grouped_by`: ``group`` if any has one, else ``condition``. If two or more groups have items of several conditions,
    and none two of the same, they are sets of matched items: then `matched_by` is ``group``, and items are grouped by
    ``condition``. `items` describes each rated item, by the newest version. `self_assessment` is None if there were no
    questions about oneself. `analysis` is of the answers that are numbers, one criterion for each question, on the
    study's scale; or of those to questions with options, names of classes. `arms` compares the study's arms by the
    scores, or by the share of each class, over raters. `what_if` has the mean by the first criterion under other
    exclusion rules; None where they leave no session out, and of classes.
    """

    study: str
    block: str
    selection: Selection
    n_sessions_excluded: int
    n_repeated: int
    grouped_by: str | None
    items: pd.DataFrame
    analysis: RatingAnalysis
    matched_by: str | None
    self_assessment: SelfAssessment | None
    arms: ArmsCompared | None = None
    what_if: WhatIf | None = None

    def labelled(self) -> "BlockRatings":
        """The same with criteria named by their questions, to be shown."""
        labels = self.analysis.labels
        own = self.self_assessment and self.self_assessment.labelled(labels)
        return replace(
            self,
            analysis=self.analysis.labelled(),
            self_assessment=own,
            arms=self.arms and self.arms.labelled(labels),
            what_if=self.what_if and self.what_if.labelled(labels),
        )

    @property
    def kind(self) -> Literal["ratings", "classes"]:
        return "classes" if self.analysis.agreement_level == "nominal" else "ratings"

    @property
    def name(self) -> str:
        """The name of its folder: a block may have both ratings and classes."""
        return f"{self.kind}-{self.study}-{self.block}"


def analyze_rating_rows(
    tables: Sequence[pd.DataFrame], *, mode: str | None = None, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[BlockRatings, ...]:
    """Analyse every block of ratings of checked tables of `ratings`, in the order of the rows.

    Only answers of one mode about main items that no rule excludes count: by default of the first of live, simulated,
    pilot and preview that has any. Raters are the participants. A block without an answer that counts is there, too:
    its `selection` has the reason. A block with numbers and classes is there once for each; `yes_no` questions are
    in `analyze_judgement_rows`.

    Raises
    ------
    AnalysisError
        For a mode without answers.
    """
    return tuple(_analyzed(one, seed, resamples) for one in rated_blocks(tables, mode))


def _analyzed(one: RatedBlock, seed: int, resamples: int) -> BlockRatings:
    analysis = analyze_ratings(one.ratings, seed=seed, resamples=resamples)
    return BlockRatings(
        study=one.study,
        block=one.block,
        selection=one.selection,
        n_sessions_excluded=one.n_sessions_excluded,
        n_repeated=one.n_repeated,
        grouped_by=one.grouped_by,
        items=one.items,
        analysis=analysis,
        matched_by=one.matched_by,
        self_assessment=_self_assessment(analysis, one.own, seed, resamples) if len(one.own) else None,
        arms=(compare_classes_by_arm if one.ratings.level == "nominal" else compare_ratings_by_arm)(
            one.by_arm, [each.criterion for each in analysis.criteria], seed=seed, resamples=resamples
        ),
        what_if=ratings_what_if(one.rows, one.selection.mode, analysis),
    )


def _self_assessment(
    analysis: RatingAnalysis, own: pd.DataFrame, seed: int, resamples: int
) -> SelfAssessment:
    asked = set(own["criterion"])
    named = analysis.agreement_level == "nominal"
    return SelfAssessment(
        n_raters=int(own["rater"].nunique()),
        criteria=() if named else self_compared(analysis.raters, own, seed=seed, resamples=resamples),
        not_asked=tuple(one.criterion for one in analysis.criteria if one.criterion not in asked),
        reason="the answers are names of classes, which have no distance" if named else None,
        scores=() if named else tuple(_own_scores([one.criterion for one in analysis.criteria], own)),
    )


def _own_scores(criteria: Sequence[str], own: pd.DataFrame) -> Iterator[OwnScores]:
    for name in criteria:
        given = own.loc[own["criterion"] == name, "mean"].dropna().to_numpy(dtype=float)
        quartiles = quartiles_of(given)
        if quartiles is not None:
            sd = float(given.std(ddof=1)) if len(given) > 1 else None
            yield OwnScores(name, len(given), float(given.mean()), sd, quartiles)


def rated_blocks(
    tables: Sequence[pd.DataFrame], mode: str | None = None, *, judgements: bool = False
) -> Iterator[RatedBlock]:
    """The blocks that `analyze_rating_rows` analyses, with `judgements` also `yes_no` questions, as classes.

    Raises AnalysisError for a mode without answers.
    """
    chosen = choose_mode(tables, mode)
    about_self = {(study, block): rows for study, block, rows in blocks_of(tables, about_self=True)}
    for study, block, rows in blocks_of(tables):
        own = about_self.get((study, block), rows[:0])
        parts = [part for part in (_of_level(rows, level, judgements) for level in LEVELS) if len(part)]
        if not parts and not is_yes_no(rows).any():
            parts = [rows[:0]]
        for part in parts:
            yield _block(study, block, rows, part, chosen, own)


def blocks_of(
    tables: Sequence[pd.DataFrame], *, about_self: bool = False
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Study, block and rows of each block, in the order of the rows: those about items, or about the raters."""
    for each in tables:
        table = each[(each["kind"] == SELF) == about_self]
        for study in table["study"].unique():
            of_study = table[table["study"] == study]
            for block in of_study["block"].unique():
                rows = of_study[of_study["block"] == block].reset_index(drop=True)
                yield str(study), str(block), rows


def is_yes_no(rows: pd.DataFrame) -> pd.Series:
    """True for rows of a question to which some item has a right answer."""
    asked = rows.loc[rows["truth"].notna(), "question"].unique()
    return rows["question"].isin(list(asked))


def select_trials(study: str, rows: pd.DataFrame, mode: str) -> tuple[Selection, int]:
    """The selection of the rated items, and the number of sessions with an answer excluded by a rule."""
    trials = rows.drop_duplicates(["session", "trial"]).reset_index(drop=True)
    excluded = trials[(trials["mode"] == mode) & trials["excluded"].notna()]
    return select(study, trials, mode).selection, int(excluded["session"].nunique())


def _of_level(rows: pd.DataFrame, level: Level, judgements: bool) -> pd.DataFrame:
    """The rows of questions whose answers are of a level; in older files, those that are numbers."""
    found = rows["level"] == level
    if level == "ordinal":
        found |= rows["level"].isna() & rows["value"].notna()
    return rows[found if judgements else found & ~is_yes_no(rows)]


def _block(
    study: str, block: str, rows: pd.DataFrame, part: pd.DataFrame, mode: str, about_self: pd.DataFrame
) -> RatedBlock:
    selection, n_excluded = select_trials(study, rows, mode)
    items = _items(rows[that_count(rows, mode)])
    # Of all answers: with those that count alone, it might change as they come in.
    matched_by = "group" if _are_matched(_items(rows[rows["kind"] == "main"])) else None
    groupings = GROUPINGS[1:] if matched_by else GROUPINGS
    grouped_by = next((name for name in groupings if items[name].notna().any()), None)
    level = level_of(part)
    scored, n_again = scored_once(part, mode)
    by_item = items.set_index("item")
    of_item = {
        column: by_item[name]
        for column, name in (("group", grouped_by), ("match", matched_by))
        if name is not None
    }
    checked = ratings_in(study, part, scored, of_item)
    own = _own(_of_level(about_self, level, judgements=True), mode)
    return RatedBlock(
        study,
        block,
        selection,
        n_excluded,
        n_again,
        grouped_by,
        items,
        checked,
        matched_by,
        own,
        by_arm(scored, scores_in(scored) if level == "nominal" else scored["value"].astype(float)),
        part,
    )


def _own(rows: pd.DataFrame, mode: str) -> pd.DataFrame:
    """The first score that each rater gave themselves by each criterion; without a number, of names of classes."""
    rows = rows[(rows["mode"] == mode) & rows["excluded"].isna()]
    given = rows[rows["value"].notna() | rows["text"].notna()].drop_duplicates(["participant", "question"])
    return pd.DataFrame(
        {
            "criterion": given["question"].astype("str"),
            "rater": given["participant"].astype("str"),
            "mean": given["value"].astype(float),
        }
    ).reset_index(drop=True)


def _are_matched(items: pd.DataFrame) -> bool:
    """True if groups are sets of matched items: no two items of one condition in any, and several in two or more."""
    placed = items.dropna(subset=["group", "condition"])
    sizes = placed["group"].value_counts()
    return not placed.duplicated(["group", "condition"]).any() and int((sizes > 1).sum()) > 1


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    """Each item rated, in the order of the names, as its newest version has it."""
    newest = rows.sort_values("version", kind="stable").drop_duplicates("item", keep="last")
    items = newest[list(_ABOUT)].astype(object)
    items = items.where(items.notna(), None)
    return items.sort_values("item").reset_index(drop=True)
