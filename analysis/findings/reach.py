"""Reach of the accuracy: over participants, over participants and pairs, and over all answers."""

from collections.abc import Iterator

from analysis.choice.pooled import PooledTest
from analysis.choice.studies import StudyResult
from analysis.findings.model import Cell, Measured, Numbers, Section
from analysis.findings.tables import column, ends, names, p_values, sentences
from analysis.reported import Settings
from analysis.stats.mixed import MixedModel

Row = tuple[Cell, ...]


def reach(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `two_way`, `pooled` and `mixed`: accuracy by how the answers are taken."""
    rows = (*_over_participants(study), *_modelled(study.mixed), *_pooled(study.pooled))
    notes = tuple(_notes(study))
    if not rows and not notes:
        return
    table = Numbers(
        "The same answers, taken in different ways; every p is two-sided",
        (*names("how", "over"), column("value"), column("95% interval"), *p_values("p")),
        rows,
    )
    yield Section(
        "reach",
        "How far it holds: participants, pairs, and all answers",
        tables=(table,),
        notes=notes,
        methods=tuple(_methods(study)),
    )


def _over_participants(study: StudyResult) -> Iterator[Row]:
    accuracy, both = study.accuracy, study.two_way
    if accuracy.mean is None:
        return
    yield (
        *("accuracy, participants resampled (Wilcoxon's test)", f"{accuracy.n} participants"),
        *(accuracy.mean, ends(accuracy.interval), study.against_chance.p),
    )
    over = f"{both.accuracy_participants} participants, {both.accuracy_pairs} pairs"
    yield (
        "accuracy, participants and pairs resampled",
        over,
        accuracy.mean,
        ends(both.accuracy),
        "",
    )


def _modelled(model: MixedModel) -> Iterator[Row]:
    if model.reason:
        return
    what = "accuracy" if model.outcome == "correct" else f"share of {model.outcome}"
    over = f"{model.n} answers, {model.n_participants} participants, {model.n_pairs} pairs"
    p: Cell = model.intercept.p if model.intercept else None
    for one, words, shown in (
        (model.mean_probability, "mixed model, all participants and pairs", ""),
        (model.probability, "mixed model, the average participant at the average pair", p),
    ):
        if one:
            yield f"{what}, {words}", over, one.value, Measured(None, one.low, one.high), shown


def _pooled(pooled: PooledTest) -> Iterator[Row]:
    if pooled.share is None:
        return
    # Where somebody gave several answers the interval holds the truth in less than 90% of cases.
    within = None if pooled.overstates else Measured(None, pooled.low, pooled.high)
    how = "accuracy, all answers pooled (exact binomial test)"
    yield how, f"{pooled.n} answers", pooled.share, within, pooled.p


def _notes(study: StudyResult) -> Iterator[str]:
    model, pooled, both = study.mixed, study.pooled, study.two_way
    if pooled.reason:
        yield f"All answers pooled: not tested, {pooled.reason}."
    yield from sentences(pooled.warning, model.warning, model.boundary)
    spread = [
        f"{who} differ with a standard deviation of {one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
        for who, one in (("participants", model.sd_participants), ("pairs", model.sd_pairs))
        if one
    ]
    if spread:
        yield f"In log odds, {' and '.join(spread)} under the model."
    yield f"There is no mixed model: {model.reason}." if model.reason else f"Mixed model: {model.method}."
    if both.accuracy.reason and study.accuracy.mean is not None:
        yield f"There is no interval over participants and pairs: {both.accuracy.reason}."
    if both.uncertainty.low is not None and both.uncertainty.high is not None and study.asks_uncertainty:
        yield (
            "With pairs resampled as well, the 95% interval of the mean uncertainty is "
            f"{both.uncertainty.low:.3f} to {both.uncertainty.high:.3f}."
        )


def _methods(study: StudyResult) -> Iterator[str]:
    if not study.accuracy.n:
        return
    beside = []
    if study.pooled.p is not None:
        beside.append(
            "an exact binomial test of all answers with the design effect of pooling them [CP34], [CGM11]"
        )
    if study.mixed.intercept is not None:
        beside.append(
            "a logistic mixed model with participants and pairs as crossed random intercepts, fitted by nested Laplace "
            "approximation [RMC09]"
        )
    if beside:
        yield f"Beside accuracy stand{'s' if len(beside) == 1 else ''} {' and '.join(beside)}."
