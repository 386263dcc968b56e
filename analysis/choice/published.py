"""The published Human Navigation Turing Test [NTT21]_: as printed and as is right, from the same data."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.uncertainty import uncertainty_per_participant
from analysis.data.preference import preference_per_participant
from analysis.options import Blank
from analysis.results import Result
from analysis.stats.comparisons import MannWhitney, mann_whitney
from analysis.stats.description import Description, describe
from analysis.stats.intervals import Floats

SOURCE = "Devlin et al. 2021, Navigation Turing Test, section 5.1, and its released analysis notebook"
MEASURES = ("accuracy", "uncertainty", "prefers_hybrid")
SIGNIFICANT = 0.05
# As `analysis.data.hntt` and the import name clips.
_CLIP = re.compile(r"hntt-\d+-q\d+-[ab]")

Groups = tuple[Floats, Floats]
Both = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class AsPrinted(Result):
    """One measure as the paper has it; of `mean`, `sd_ddof0` and `n` the first is the first study's."""

    mean: Both
    """Means of both studies, the first study's first."""
    sd_ddof0: Both
    """Standard deviations (n) of both studies."""
    n: tuple[int, int]
    """Numbers of participants of both studies."""
    min_u: float | None
    """The smaller of the two U."""
    p: float | None


@dataclass(frozen=True, slots=True)
class Corrected(Result):
    """One measure as is right; `sd_ddof0` is None where it is as printed."""

    mean: Both
    """Means of both studies, the first study's first."""
    sd_ddof0: Both | None
    """Standard deviations (n) of both studies; no such key where they are as printed."""
    n: tuple[int, int]
    """Numbers of participants of both studies."""
    u1: float | None
    """U of the first study."""
    u2: float | None
    """U of the second study."""
    p_two_sided: float | None

    def to_dict(self) -> dict[str, Any]:
        """A dict of the fields; SDs that are as printed are not repeated."""
        return {name: value for name, value in Result.to_dict(self).items() if value or name != "sd_ddof0"}


@dataclass(frozen=True, slots=True)
class Published(Result):
    """Both analyses of the two studies, by measure, and the sentences about their differences."""

    source: str
    """Source of the printed numbers."""
    as_published: Mapping[str, AsPrinted]
    corrected: Mapping[str, Corrected]
    what_differs: tuple[str, ...]
    """Differences between the two analyses, in sentences."""
    majority_vote_agrees_with_truth: str
    """How often the majority names the truth, in words."""


def is_published_layout(rows: pd.DataFrame) -> bool:
    """True if the answers are in the published layout, recognized by its clip names rather than the study's."""
    clips = rows["stimulus_a"].unique()
    return len(clips) > 0 and all(isinstance(clip, str) and _CLIP.fullmatch(clip) for clip in clips)


def is_hntt(studies: Sequence[pd.DataFrame]) -> bool:
    """True for the paper's two studies: the published layout, with a truth and hybrid-symbolic trials."""
    return len(studies) == 2 and all(
        is_published_layout(rows)
        and bool(rows["truth"].notna().any())
        and bool((rows["condition"] == "hybrid-symbolic").any())
        for rows in studies
    )


def published_numbers(first: pd.DataFrame, second: pd.DataFrame, labels: pd.DataFrame) -> Published:
    """Analyse two HNTT studies as the paper did and as it should be done.

    Parameters
    ----------
    first, second
        Selected main responses of the two studies; the first is the one whose U is `u1`.
    labels
        Their labels with ties kept (`majority_vote`).

    Returns
    -------
    Published
        `as_published`: blank choices count as wrong and as not choosing the hybrid; the hybrid-symbolic
        values have one more, empty participant with 0 in each study; SD divides by n; the smaller U; p
        one-sided, towards the difference seen, by the normal approximation, tie- and continuity-corrected.
        `corrected`: blanks are missing, only people are counted, both U, p two-sided.
    """
    printed = _values(first, second, "wrong")
    printed["prefers_hybrid"] = _with_phantom(printed["prefers_hybrid"])
    right = _values(first, second, "missing")
    tests = {measure: mann_whitney(*right[measure], method="asymptotic", resamples=0) for measure in MEASURES}
    as_published = {measure: _as_published(printed[measure]) for measure in MEASURES}
    corrected = {measure: _corrected(measure, right[measure], tests[measure]) for measure in MEASURES}
    blanks = int(first["choice"].isna().sum() + second["choice"].isna().sum())
    return Published(
        source=SOURCE,
        as_published=as_published,
        corrected=corrected,
        what_differs=_what_differs(as_published, corrected, labels, blanks),
        majority_vote_agrees_with_truth=_agreement(labels),
    )


def _values(first: pd.DataFrame, second: pd.DataFrame, blank: Blank) -> dict[str, Groups]:
    def present(values: pd.Series) -> Floats:
        return np.sort(values.dropna().to_numpy(dtype=float))

    def hybrid(rows: pd.DataFrame) -> pd.Series:
        table = preference_per_participant(rows[rows["condition"] == "hybrid-symbolic"], blank)
        return table.loc[table["source"] == "hybrid", "preference"]

    studies = (first, second)
    accuracy = [present(accuracy_per_participant(rows, blank)["accuracy"]) for rows in studies]
    uncertainty = [
        present(uncertainty_per_participant(rows, "with-truth")["uncertainty"]) for rows in studies
    ]
    preference = [present(hybrid(rows)) for rows in studies]
    return {
        "accuracy": (accuracy[0], accuracy[1]),
        "uncertainty": (uncertainty[0], uncertainty[1]),
        "prefers_hybrid": (preference[0], preference[1]),
    }


def _with_phantom(groups: Groups) -> Groups:
    """The notebook counts an empty participant, who chose the hybrid in none of their trials."""
    return np.append(groups[0], 0.0), np.append(groups[1], 0.0)


def _as_published(groups: Groups) -> AsPrinted:
    test = mann_whitney(*groups, method="asymptotic", resamples=0)
    one_sided = None
    if test.reason is None:
        # Towards the difference that was seen, as the published p values are.
        one_sided = min(
            float(scipy.stats.mannwhitneyu(*groups, alternative=side, method="asymptotic").pvalue)
            for side in ("less", "greater")
        )
    min_u = None if test.u1 is None or test.u2 is None else min(test.u1, test.u2)
    first, second = _described(groups)
    spread = first.sd_ddof0, second.sd_ddof0
    return AsPrinted((first.mean, second.mean), spread, (first.n, second.n), min_u, one_sided)


def _corrected(measure: str, groups: Groups, test: MannWhitney) -> Corrected:
    first, second = _described(groups)
    # As printed: only the phantom participant makes the SDs differ.
    spread = (first.sd_ddof0, second.sd_ddof0) if measure == "prefers_hybrid" else None
    tested = test.u1, test.u2, test.p_two_sided
    return Corrected((first.mean, second.mean), spread, (first.n, second.n), *tested)


def _described(groups: Groups) -> tuple[Description, Description]:
    first, second = groups
    return describe(first, resamples=0), describe(second, resamples=0)


def _what_differs(
    printed: Mapping[str, AsPrinted], right: Mapping[str, Corrected], labels: pd.DataFrame, blanks: int
) -> tuple[str, ...]:
    accuracy_p = right["accuracy"].p_two_sided
    significant = "significant" if accuracy_p is not None and accuracy_p < SIGNIFICANT else "not significant"
    extra = [_ordinal(n) for n in printed["prefers_hybrid"].n]
    which = extra[0] if extra[0] == extra[1] else f"{extra[0]} and a {extra[1]}"
    ties = int((labels["majority"] == "tie").sum())
    p_values = _listed({name: one.p for name, one in printed.items()}, 3)
    smaller_u = _listed({name: one.min_u for name, one in printed.items()}, 1)
    first_u = _listed({name: one.u1 for name, one in right.items()}, 1)
    sentences = [
        f"The printed p values ({p_values}) are one-sided: they are half of the two-sided "
        "ones (normal approximation, tie and continuity corrected). Two-sided, the accuracy difference is "
        f"{significant} at {SIGNIFICANT} (p = {_digits(accuracy_p, 3)}).",
        f"The hybrid-symbolic rows include a {which}, empty participant with score 0 in each study; "
        f"without it the means are {_means(right['prefers_hybrid'])}, not {_means(printed['prefers_hybrid'])}.",
        "The smaller of the two U values is printed, not the first group's: "
        f"{smaller_u}; the first group's are {first_u}.",
        "Ties in the majority vote are broken at random, without a seed; "
        f"here {ties} of {len(labels)} pairs are tied, and ties stay ties.",
    ]
    if blanks:
        sentences.append(
            f"Blank choices ({blanks} here) are counted as wrong and as not choosing the hybrid; "
            "they are missing answers."
        )
    return tuple(sentences)


def _agreement(labels: pd.DataFrame) -> str:
    human_agent = labels[labels["truth"].notna()]
    agree = sum(agrees is True for agrees in human_agent["agrees_with_truth"])
    every = agree == len(human_agent)
    return f"on {'all' if every else f'{agree} of'} {len(human_agent)} human-agent questions"


def _listed(numbers: Mapping[str, float | None], digits: int) -> str:
    return ", ".join(f"{_digits(one, digits)} ({name.replace('_', ' ')})" for name, one in numbers.items())


def _means(one: AsPrinted | Corrected) -> str:
    return " and ".join(_digits(mean, 2) for mean in one.mean)


def _digits(value: float | None, digits: int) -> str:
    return "not defined" if value is None else f"{value:.{digits}f}"


def _ordinal(n: int) -> str:
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
