"""The `yes_no` questions of studies: from the rows of exported tables of ratings to accuracy, d' and criterion."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.data.checking import coded
from analysis.data.codes import Mask
from analysis.data.judgements import Judgements
from analysis.data.selection import Selection, choose_mode
from analysis.detection.arms import compare_judgements_by_arm
from analysis.detection.measures import DetectionAnalysis, accuracy_of, analyze_judgements
from analysis.errors import SchemaError
from analysis.options import RESAMPLES
from analysis.ratings.counted import that_count
from analysis.ratings.studies import blocks_of, is_yes_no, select_trials
from analysis.results import Result
from analysis.stats.arms import ArmsCompared
from analysis.stats.description import Description
from analysis.stats.what_if import Measure, WhatIf, what_if


@dataclass(frozen=True, slots=True, eq=False)
class BlockJudgements(Result):
    """One yes / no question of one block of a study. `selection` and `n_sessions_excluded` are as of `BlockRatings`.

    In `analysis` the first of the question's two options is the signal. A person who judged an item several times has
    all of these answers counted, as sensitivity is measured with repetitions, too. `arms` compares the study's arms by
    participants' accuracy, d' and criterion; None of a file without a study. `what_if` has the accuracy under other
    exclusion rules; None where they leave no session out."""

    study: str
    block: str
    question: str
    """The question's id."""
    selection: Selection
    n_sessions_excluded: int
    analysis: DetectionAnalysis
    arms: ArmsCompared | None = None
    what_if: WhatIf | None = None

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"yes-no-{self.study}-{self.block}-{self.question}"


def analyze_judgement_rows(
    tables: Sequence[pd.DataFrame], *, mode: str | None = None, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[BlockJudgements, ...]:
    """Analyse every `yes_no` question of checked tables of `ratings`, in the order of the rows.

    Only answers of one mode about main items that no rule excludes count, as in `analyze_rating_rows`. Items of the
    true source whose condition is that source's name are of no condition: every other condition is held against them.

    Raises
    ------
    AnalysisError
        For a mode without answers.
    SchemaError
        For a question that has a truth and not two options.
    """
    chosen = choose_mode(tables, mode)
    found = []
    for study, block, rows in blocks_of(tables):
        selection, n_excluded = select_trials(study, rows, chosen)
        asked = rows[is_yes_no(rows)]
        for question in asked["question"].unique():
            of_question = asked[asked["question"] == question]
            judged = of_question[that_count(of_question, chosen)]
            judgements = _judgements(study, of_question, judged)
            analysis = analyze_judgements(judgements, seed=seed, resamples=resamples)
            by_arm = compare_judgements_by_arm(
                judgements, judged["arm"].reset_index(drop=True), seed=seed, resamples=resamples
            )
            curve = _what_if(study, of_question, chosen, analysis)
            found.append(
                BlockJudgements(study, block, str(question), selection, n_excluded, analysis, by_arm, curve)
            )
    return tuple(found)


def _what_if(study: str, of_question: pd.DataFrame, mode: str, analysis: DetectionAnalysis) -> WhatIf | None:
    of_mode = of_question[of_question["mode"] == mode]
    is_main = (of_mode["kind"] == "main").to_numpy(dtype=bool)

    def headline(counts: Mask) -> Description:
        judgements = _judgements(study, of_question, of_mode[counts & is_main])
        return accuracy_of(judgements, seed=analysis.seed, resamples=analysis.resamples)

    return what_if(of_mode, Measure("accuracy"), headline)


def _judgements(study: str, asked: pd.DataFrame, judged: pd.DataFrame) -> Judgements:
    signal, noise = _classes(study, asked)
    # A signal named by its source has no condition: it is the other class of every condition.
    is_own = (judged["truth"] == signal) & (
        judged["condition"].astype("str") == judged["source"].astype("str")
    )
    table = pd.DataFrame(
        {
            "participant": judged["participant"].astype("str"),
            "stimulus": judged["item"].astype("str"),
            "condition": judged["condition"]
            .astype(object)
            .where(~is_own & judged["condition"].notna(), None),
            "truth": judged["truth"].astype(object).where(judged["truth"].notna(), None),
            "answer": judged["text"].astype(object).where(judged["text"].notna(), None),
        }
    ).reset_index(drop=True)
    return Judgements(table.apply(coded), study, signal, noise)


def _classes(study: str, asked: pd.DataFrame) -> tuple[str, str]:
    """The two options of a question; the first says that an item is of the true source."""
    lists = list(_option_lists(asked))
    if len(lists) != 1 or len(lists[0]) != 2:
        name = str(asked["question"].iloc[0])
        problem = f"question {name!r} has a truth and the options {' or '.join(map(str, lists)) or 'none'}"
        raise SchemaError(study, 1, "options", problem, "a JSON list of two options, the same in every row")
    return lists[0][0], lists[0][1]


def _option_lists(asked: pd.DataFrame) -> Iterator[list[str]]:
    for text in asked["options"].dropna().unique():
        try:
            options = json.loads(str(text))
        except ValueError:
            options = None
        yield [str(one) for one in options] if isinstance(options, list) else [str(text)]
