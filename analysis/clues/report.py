"""The clue report: whether anything other than the judged behaviour reveals a clip's source."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from analysis.clues.classifier import (
    ALL_TOGETHER,
    REPEATS,
    Classifier,
    classify,
    separates,
    together_sentence,
)
from analysis.clues.separation import (
    Separation,
    corrected,
    margins_sentence,
    separation,
    separations,
    smallest,
)
from analysis.clues.table import FIXED, check_clues
from analysis.clues.within_pairs import (
    PairShare,
    StimulusPairs,
    corrected_within,
    pairs_sentence,
    shares_of_column,
    strongest,
)
from analysis.clues.words import INSIDE, Advice, Finding, advise, capital, words_for
from analysis.errors import AnalysisError
from analysis.options import LEVEL
from analysis.results import Result

OnProgress = Callable[[int, int, str], None]
Verdict = Literal["telling", "too-few", "nothing"]

_FINDINGS: Mapping[Finding, str] = {
    "unclear": "Too few clips to tell",
    "weak": "Too weak to matter",
    "same": "The same for all clips",
    "undefined": "Not compared, for lack of values",
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
class ClueResult(Result):
    """One clue. `pairs` holds each two sources, the strongest first, with intervals that hold for all pairs at once.

    `within_pairs` says the same of the pairs that people decide, where they are known: it warns as well.

    `finding` is ``telling`` (warns: here or in a pair), ``unclear`` (too few clips to rule the threshold out), ``weak``
    (ruled out), ``same`` (one value for all clips) or ``undefined``. `p` and `p_holm` are the smallest of its
    comparisons.
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
    within_pairs: tuple[PairShare, ...] = ()


@dataclass(frozen=True, slots=True)
class Inside(Result):
    """Clues in a file that no player shows, apart from the verdict: viewers never see them.

    `clues` are empty if none of `INSIDE` was measured; `says` is the finding in one sentence.
    """

    clues: tuple[ClueResult, ...]
    classifier: Classifier
    says: str


@dataclass(frozen=True, slots=True)
class ClueReport(Result):
    """All clues, each by itself and all together, and one verdict: `says` in one sentence, `summary` in several.

    `verdict` is ``telling`` if a clue or the classifier warns; else ``too-few`` if the classifier's interval reaches
    the threshold (or there is no classifier), or a clue's strength does without a corrected p below 0.05; else
    ``nothing``. It does not depend on what is `inside` the files, which is compared and corrected separately. `because`
    has a sentence with numbers for each clue that warns, strongest first.
    """

    positive: str
    threshold: float
    level: float
    seed: int
    n_clips: int
    sources: Mapping[str, int]
    clues: tuple[ClueResult, ...]
    classifier: Classifier
    warns: bool
    verdict: Verdict
    says: str
    summary: tuple[str, ...]
    inside: Inside
    noun: str = "clips"
    because: tuple[str, ...] = ()

    def clue(self, name: str) -> ClueResult:
        """The result of one clue. Raises KeyError for one that was not looked at."""
        for result in (*self.clues, *self.inside.clues):
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
    noun: str = "clips",
    pairs: StimulusPairs = (),
) -> ClueReport:
    """Measure how well each clue, and all together, tell the clips of one source from the others.

    One row is one clip, and clips count as independent: several cut from one recording, or of one player, are
    not, and make every interval too narrow. The order of the rows is of no consequence.

    A clue warns where it tells `positive` from all others, or two sources from each other, with a strength of
    `threshold` or more and a Mann-Whitney p below 0.05 after Holm's correction for every comparison of every clue,
    and at least 4 clips on either side; or where it does so within `pairs`, by the exact sign test, corrected for
    every such comparison.

    Parameters
    ----------
    clips
        ``stimulus`` (unique text), ``source`` (text), and any number of numeric columns, each a clue; a cell may
        be missing. Clues of `app.library.clips.clues` and their ``original_`` kin have words of their own.
    seed
        Of the classifier's folds and resamples, 0 or more.
    positive
        The source to be distinguished from all others.
    threshold
        The strength that warns, above 0.5 and at most 1.
    on_progress
        Called as ``on_progress(done, total, what)``.
    noun
        What the rows are called in sentences: ``clips``, ``records``, ``texts`` or ``items``.
    pairs
        The names of the two stimuli of each pair that is decided; those of one source are left out.

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
    every = [name for name in clips.columns if name not in FIXED]
    names = [name for name in every if name not in INSIDE]
    total = len(names) + REPEATS
    tell = on_progress or (lambda done, total, what: None)

    def judged(names: Sequence[str], tell: OnProgress) -> tuple[tuple[ClueResult, ...], Classifier]:
        """Each clue of a family, corrected for the whole of it, and all of it together."""
        compared = []
        for done, name in enumerate(names, start=1):
            compared.append(_compared(clips, name, positive))
            tell(done, total, words_for(name).label)
        classifier = classify(
            clips[list(names)],
            (clips["source"] == positive).to_numpy(dtype=bool),
            seed=seed,
            threshold=threshold,
            on_repeat=lambda repeat: tell(len(names) + repeat, total, ALL_TOGETHER),
        )
        within = corrected_within(
            [shares_of_column(clips, name, pairs, positive) for name in names], threshold
        )
        results = (
            _clue_result(clips, name, positive, separations, shares, threshold)
            for name, separations, shares in zip(names, corrected(compared, threshold), within, strict=True)
        )
        return tuple(results), classifier

    clues, classifier = judged(names, tell)
    inside = judged([name for name in every if name in INSIDE], lambda done, total, what: None)
    tell(total, total, ALL_TOGETHER)
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
        verdict=_verdict(clues, classifier, threshold),
        says="",
        summary=(),
        inside=Inside(*inside, says=_says_inside(*inside, positive)),
        noun=noun,
    )
    report = replace(report, says=_says(report), because=_because(report))
    return replace(report, summary=tuple(_summarised(report)))


def _sources(clips: pd.DataFrame, positive: str) -> list[str]:
    """All sources, `positive` first."""
    return sorted(clips["source"].unique(), key=lambda source: (source != positive, source))


def _values(clips: pd.DataFrame, name: str, positive: str) -> dict[str, pd.Series]:
    return {source: clips.loc[clips["source"] == source, name] for source in _sources(clips, positive)}


def _compared(clips: pd.DataFrame, name: str, positive: str) -> list[Separation]:
    """The positive source against all others, then each two sources, the strongest first."""
    there = {source: values.dropna().to_numpy() for source, values in _values(clips, name, positive).items()}
    x = there.get(positive, np.empty(0))
    y = clips.loc[clips["source"] != positive, name].dropna().to_numpy()
    return [separation(positive, None, x, y, LEVEL), *separations(there)]


def _clue_result(
    clips: pd.DataFrame,
    name: str,
    positive: str,
    separations: Sequence[Separation],
    within_pairs: tuple[PairShare, ...],
    threshold: float,
) -> ClueResult:
    against_others, *pairs = separations
    finding = _finding(against_others, tuple(pairs), clips[name], threshold)
    if any(one.warns for one in within_pairs):
        finding = "telling"
    words = words_for(name)
    return ClueResult(
        clue=name,
        label=words.label,
        unit=words.unit,
        sources=tuple(
            _source_values(source, values) for source, values in _values(clips, name, positive).items()
        ),
        against_others=against_others,
        pairs=tuple(pairs),
        p=smallest(each.p for each in separations),
        p_holm=smallest(each.p_holm for each in separations),
        finding=finding,
        warns=finding == "telling",
        advice=_advice(clips, name, finding, against_others, tuple(pairs)),
        within_pairs=within_pairs,
    )


def _verdict(clues: Sequence[ClueResult], classifier: Classifier, threshold: float) -> Verdict:
    if classifier.warns or any(clue.warns for clue in clues):
        return "telling"
    if all(clue.finding == "same" for clue in clues):
        return "nothing"
    strengths = [each.strength or 0.0 for clue in clues for each in (clue.against_others, *clue.pairs)]
    strengths += [one.strength or 0.0 for clue in clues for one in clue.within_pairs]
    highest = classifier.interval.high
    is_open = classifier.auc is None or highest is None or highest >= threshold
    return "too-few" if is_open or max(strengths) >= threshold else "nothing"


def _says(report: ClueReport) -> str:
    if report.verdict == "telling":
        labels = [result.label for result in report.clues if result.warns]
        named = listed(labels) if labels else ALL_TOGETHER
        verb = "gives" if len(labels) == 1 else "give"
        return f"{capital(named)} {verb} the source away."
    if report.verdict == "too-few":
        counts = ", ".join(f"{n} {source}" for source, n in report.sources.items()) or "none"
        return f"Too few {report.noun} to tell whether anything gives the source away ({counts})."
    return f"Nothing was found that gives the source away with a strength of {report.threshold:g} or more."


def _says_inside(clues: Sequence[ClueResult], classifier: Classifier, positive: str) -> str:
    if not clues:
        return "What is inside the files was not measured."
    if classifier.auc is None:
        return f"Inside the files: not tried, {classifier.reason}."
    return (
        f"Inside the files: {separates('the sizes of the frames', 'tell', classifier, positive, 'clips')}. No player "
        "shows it; who takes a served file apart can read it."
    )


def listed(labels: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(labels[:-1]), *labels[-1:])))


def _source_values(source: str, values: pd.Series) -> SourceValues:
    there = values.dropna()
    middle = (there.median(), there.mean(), there.min(), there.max()) if len(there) else (None,) * 4
    return SourceValues(source, len(there), len(values) - len(there), *middle)


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
    """Advice on the comparison that warns, or else on the first possible one."""
    every = (against_others, *pairs)
    order = sorted(every, key=lambda each: (not each.warns, each.auc is None))
    worst = order[0]
    return advise(clips, name, finding, worst.first, worst.second, worst.reason)


def _summarised(report: ClueReport) -> Iterator[str]:
    counts = ", ".join(f"{n} {source}" for source, n in report.sources.items())
    of_each = f": {counts}" if counts else ""
    yield f"{len(report.clues)} clues of {report.n_clips} {report.noun} were looked at{of_each}."
    yield report.says
    yield "Strength is the larger of AUC and 1 - AUC: 0.5 tells nothing of the source, 1 everything."
    for result in report.clues:
        if result.warns:
            yield _warning(result, report.noun)
    for finding, text in _FINDINGS.items():
        if labels := [result.label for result in report.clues if result.finding == finding]:
            yield f"{text.replace('clips', report.noun)}: {', '.join(labels)}."
    yield together_sentence(report.classifier, report.positive, report.noun)
    if report.inside.clues:
        yield report.inside.says
    n_compared = sum(result.p_holm is not None for result in report.clues)
    if n_compared > 1:
        left = [r.label for r in report.clues if r.p_holm is not None and r.p_holm < 1 - LEVEL]
        yield (
            f"{n_compared} clues were compared, and of many one may look telling by luck: "
            f"corrected by Holm for all of them, p is below 0.05 for {', '.join(left) or 'none'}."
        )


def _because(report: ClueReport) -> tuple[str, ...]:
    """Evidence of each clue that warns; of all clues together where none does by itself."""
    warn = sorted((result for result in report.clues if result.warns), key=_warning_strength, reverse=True)
    of_all = (together_sentence(report.classifier, report.positive, report.noun),) if report.warns else ()
    return tuple(_warning(result, report.noun) for result in warn) or of_all


def _warning_strength(result: ClueResult) -> float:
    margins = [each.strength or 0.0 for each in (result.against_others, *result.pairs) if each.warns]
    return max(margins + [each.strength or 0.0 for each in result.within_pairs if each.warns])


def _warning(result: ClueResult, noun: str) -> str:
    """The first comparison that warns, and the pairs where these do."""
    worst = next((each for each in (result.against_others, *result.pairs) if each.warns), None)
    of_pairs = strongest(one for one in result.within_pairs if one.warns)
    said = [] if worst is None else [margins_sentence(result.label, worst, noun)]
    if of_pairs is not None:
        said.append(f"{capital(result.label)} names the source within pairs: {pairs_sentence(of_pairs)}.")
    return " ".join(said)
