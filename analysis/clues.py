"""The clue report: does anything but what is to be judged give a clip's source away?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.auc import AucInterval, auc, auc_interval
from analysis.clue_classifier import FEWEST, REPEATS, Classifier, classify
from analysis.clue_table import FIXED, check_clues
from analysis.clue_words import Advice, Finding, advise, capital, words_for
from analysis.comparisons import mann_whitney
from analysis.errors import AnalysisError
from analysis.intervals import Floats
from analysis.multiplicity import holm
from analysis.options import LEVEL
from analysis.results import Result

OnProgress = Callable[[int, int, str], None]

ALL_TOGETHER = "all clues together"

_FINDINGS: Mapping[Finding, str] = {
    "unclear": "Open, for want of clips",
    "weak": "Too weak to matter",
    "same": "The same for all clips",
    "undefined": "Not to be compared, for want of values",
}


@dataclass(frozen=True, slots=True)
class SourceValues(Result):
    """One source's values of a clue: how many clips have one, how many have none, and their middle."""

    source: str
    n: int
    missing: int
    median: float | None
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Separation(Result):
    """How well a clue tells the clips of `first` from those of `second` (None: from all others).

    `auc` in [0, 1] is the chance that a clip of `first` has the higher value than one of `second`, ties counting half;
    `strength` = max(auc, 1 - auc) in [0.5, 1] says the same of either direction. `strength_low` and `strength_high`
    are what the interval of the AUC leaves of the strength: from 0.5 on where it holds 0.5.
    """

    first: str
    second: str | None
    n_first: int
    n_second: int
    auc: float | None
    interval: AucInterval
    strength: float | None
    strength_low: float | None
    strength_high: float | None
    warns: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class ClueResult(Result):
    """One clue. `pairs` holds each two sources, the strongest first, with intervals that hold for all pairs at once.

    `finding` is ``telling`` (warns: here or in a pair), ``unclear`` (too few clips to rule the threshold out), ``weak``
    (ruled out), ``same`` (one value for all clips) or ``undefined``. `p` is Mann-Whitney's, two-sided, of
    `against_others`; `p_holm` is corrected for all clues of the report.
    """

    clue: str
    label: str
    unit: str
    sources: tuple[SourceValues, ...]
    against_others: Separation
    pairs: tuple[Separation, ...]
    p: float | None
    p_holm: float | None
    finding: Finding
    warns: bool
    advice: Advice


@dataclass(frozen=True, slots=True)
class ClueReport(Result):
    """All clues, each by itself and all together; `summary` says it in sentences."""

    positive: str
    threshold: float
    level: float
    seed: int
    n_clips: int
    sources: Mapping[str, int]
    clues: tuple[ClueResult, ...]
    classifier: Classifier
    warns: bool
    summary: tuple[str, ...]

    def clue(self, name: str) -> ClueResult:
        """The result of one clue. Raises KeyError for one that was not looked at."""
        for result in self.clues:
            if result.clue == name:
                return result
        raise KeyError(name)


def clue_report(
    clips: pd.DataFrame,
    *,
    seed: int,
    positive: str = "human",
    threshold: float = 0.75,
    on_progress: OnProgress | None = None,
) -> ClueReport:
    """Measure how well each clue, and all together, tell the clips of one source from the others.

    One row is one clip, and clips count as independent: several cut from one recording, or of one player, are
    not, and make every interval too narrow. The order of the rows is of no consequence.

    A clue warns where it tells `positive` from all others, or two sources from each other, with a strength of
    `threshold` or more, an interval that leaves 0.5 out, and at least 4 clips on either side. Each clue is
    judged by its own interval: of many clues one may warn by luck, and `p_holm` says how far luck explains it.
    But the clips at hand are those that participants will see: a difference between them is there, however it
    came about.

    Parameters
    ----------
    clips
        ``stimulus`` (unique text), ``source`` (text), and any number of numeric columns, each a clue; a cell may
        be missing. Clues of `app.clips.clues` and their ``original_`` kin have words of their own.
    seed
        Of the classifier's folds and resamples, 0 or more.
    positive
        The source to be told from all others.
    threshold
        The strength that warns, above 0.5 and at most 1.
    on_progress
        Called as ``on_progress(done, total, what)``.

    Raises
    ------
    SchemaError
        If a column is missing or double, a stimulus stands twice, a source is empty, or a clue no finite number.
    AnalysisError
        If the threshold or the seed is out of range.
    """
    if not 0.5 < threshold <= 1:
        raise AnalysisError(f"threshold {threshold} is not allowed; allowed: above 0.5, up to 1")
    if seed < 0:
        raise AnalysisError(f"seed {seed} is not allowed; allowed: 0 or more")
    clips = check_clues(clips)
    names = [name for name in clips.columns if name not in FIXED]
    total = len(names) + REPEATS
    tell = on_progress or (lambda done, total, what: None)
    results = []
    for done, name in enumerate(names, start=1):
        results.append(_clue_result(clips, name, positive, threshold))
        tell(done, total, words_for(name).label)
    classifier = classify(
        clips[names],
        (clips["source"] == positive).to_numpy(dtype=bool),
        seed=seed,
        threshold=threshold,
        on_repeat=lambda repeat: tell(len(names) + repeat, total, ALL_TOGETHER),
    )
    tell(total, total, ALL_TOGETHER)
    corrected = holm([result.p for result in results])
    clues = tuple(replace(result, p_holm=p) for result, p in zip(results, corrected, strict=True))
    report = ClueReport(
        positive=positive,
        threshold=threshold,
        level=LEVEL,
        seed=seed,
        n_clips=len(clips),
        sources={source: int((clips["source"] == source).sum()) for source in _sources(clips, positive)},
        clues=clues,
        classifier=classifier,
        warns=classifier.warns or any(clue.warns for clue in clues),
        summary=(),
    )
    return replace(report, summary=tuple(_summarised(report)))


def _sources(clips: pd.DataFrame, positive: str) -> list[str]:
    """All sources, `positive` first."""
    return sorted(clips["source"].unique(), key=lambda source: (source != positive, source))


def _clue_result(clips: pd.DataFrame, name: str, positive: str, threshold: float) -> ClueResult:
    of = {source: clips.loc[clips["source"] == source, name] for source in _sources(clips, positive)}
    there = {source: values.dropna().to_numpy() for source, values in of.items()}
    x = there.get(positive, np.empty(0))
    y = clips.loc[clips["source"] != positive, name].dropna().to_numpy()
    against_others = _separation(positive, None, x, y, LEVEL, threshold)
    pairs = _pairs(there, threshold)
    finding = _finding(against_others, pairs, clips[name], threshold)
    words = words_for(name)
    return ClueResult(
        clue=name,
        label=words.label,
        unit=words.unit,
        sources=tuple(_source_values(source, values) for source, values in of.items()),
        against_others=against_others,
        pairs=pairs,
        p=mann_whitney(x, y, resamples=0).p,
        p_holm=None,
        finding=finding,
        warns=finding == "telling",
        advice=_advice(clips, name, finding, against_others, pairs),
    )


def _source_values(source: str, values: pd.Series) -> SourceValues:
    there = values.dropna()
    middle = (there.median(), there.mean(), there.min(), there.max()) if len(there) else (None,) * 4
    return SourceValues(source, len(there), len(values) - len(there), *middle)


def _pairs(there: Mapping[str, Floats], threshold: float) -> tuple[Separation, ...]:
    """Each two sources, the strongest first; Bonferroni's levels, so that all intervals hold at once."""
    couples = list(combinations(there, 2))
    level = 1 - (1 - LEVEL) / max(len(couples), 1)
    pairs = [_separation(a, b, there[a], there[b], level, threshold) for a, b in couples]
    return tuple(sorted(pairs, key=lambda pair: -(pair.strength or 0.0)))


def _separation(
    first: str, second: str | None, x: Floats, y: Floats, level: float, threshold: float
) -> Separation:
    interval = auc_interval(x, y, level=level)
    if not (len(x) and len(y)):
        reason = f"no {first} clip has a value" if not len(x) else f"no {second or 'other'} clip has a value"
        return Separation(
            first, second, len(x), len(y), None, interval, None, None, None, warns=False, reason=reason
        )
    area = auc(x, y)
    strength = max(area, 1 - area)
    low, high = _of_strength(interval)
    warns = min(len(x), len(y)) >= FEWEST and strength >= threshold and (low or 0.0) > 0.5
    return Separation(
        first, second, len(x), len(y), area, interval, strength, low, high, warns=warns, reason=None
    )


def _of_strength(interval: AucInterval) -> tuple[float | None, float | None]:
    """What max(auc, 1 - auc) runs through as the AUC runs through its interval."""
    if interval.low is None or interval.high is None:
        return None, None
    ends = sorted((max(interval.low, 1 - interval.low), max(interval.high, 1 - interval.high)))
    return (0.5 if interval.low <= 0.5 <= interval.high else ends[0]), ends[1]


def _finding(
    against_others: Separation, pairs: tuple[Separation, ...], values: pd.Series, threshold: float
) -> Finding:
    defined = [each for each in (against_others, *pairs) if each.auc is not None]
    if not defined:
        return "undefined"
    if values.nunique() == 1:
        return "same"
    if any(each.warns for each in defined):
        return "telling"
    highest = defined[0].strength_high
    return "unclear" if highest is None or highest >= threshold else "weak"


def _advice(
    clips: pd.DataFrame,
    name: str,
    finding: Finding,
    against_others: Separation,
    pairs: tuple[Separation, ...],
) -> Advice:
    """Advice on the comparison that warns, or else on the first that can be made."""
    every = (against_others, *pairs)
    order = sorted(every, key=lambda each: (not each.warns, each.auc is None))
    told = order[0]
    return advise(clips, name, finding, told.first, told.second, told.reason)


def _summarised(report: ClueReport) -> Iterator[str]:
    counts = ", ".join(f"{n} {source}" for source, n in report.sources.items())
    yield f"{len(report.clues)} clues of {report.n_clips} clips were looked at{f': {counts}' if counts else ''}."
    yield "Strength is the larger of AUC and 1 - AUC: 0.5 tells nothing of the source, 1 everything."
    for result in report.clues:
        if result.warns:
            yield _told(result)
    if not any(result.warns for result in report.clues):
        yield f"No clue by itself was found to tell the source with a strength of {report.threshold:g} or more."
    for finding, text in _FINDINGS.items():
        if labels := [result.label for result in report.clues if result.finding == finding]:
            yield f"{text}: {', '.join(labels)}."
    yield _told_together(report.classifier, report.positive)
    compared = [result for result in report.clues if result.p_holm is not None]
    if len(compared) > 1:
        left = [result.label for result in compared if (result.p_holm or 0.0) < 1 - LEVEL]
        yield (
            f"{len(compared)} clues were compared, and of many one may look telling by luck: "
            f"corrected by Holm for all of them, p is below 0.05 for {', '.join(left) or 'none'}."
        )


def _told(result: ClueResult) -> str:
    """The first comparison that warns."""
    told = next(each for each in (result.against_others, *result.pairs) if each.warns)
    than = "in all others" if told.second is None else f"in {told.second} clips"
    higher = "higher" if (told.auc or 0.0) > 0.5 else "lower"
    interval = (
        f"{100 * told.interval.level:.3g} % interval {told.strength_low:.2f} to {told.strength_high:.2f}"
    )
    return (
        f"{capital(result.label)} gives the source away: it is {higher} in {told.first} clips than {than}, "
        f"with strength {told.strength:.2f} ({interval})."
    )


def _told_together(classifier: Classifier, positive: str) -> str:
    if classifier.auc is None:
        return f"All clues together could not be tried: {classifier.reason}."
    interval = f"95 % interval {classifier.interval.low:.2f} to {classifier.interval.high:.2f}"
    verb = "give the source away" if classifier.warns else "were not found to give the source away"
    return (
        f"All clues together {verb}: a small classifier tells {positive} clips from the others with "
        f"AUC {classifier.auc:.2f} ({interval}), on clips it had not seen."
    )
