"""Accuracy by how the answers are taken: participants alone, participants and pairs, a model, or all pooled."""

from collections.abc import Iterator

from app.reporting.reports.parts.cells import Cells, as_sentence, p_cell
from app.reporting.reports.views import NONE, SectionView, TableView, limits, number

FILE = "results.json"


def accuracy_part(study: Cells) -> Iterator[SectionView]:
    """From `two_way`, `pooled` and `mixed` of a study."""
    rows = [*_over_participants(study), *_modelled(study["mixed"]), *_pooled(study["pooled"])]
    notes = list(_notes(study))
    if not rows and not notes:
        return
    table = TableView(
        caption="The same answers, taken in different ways; every p is two-sided",
        head=("how", "over", "value", "95 % interval", "p"),
        rows=tuple(rows),
        n_names=2,
        file=FILE,
    )
    yield SectionView(
        "", "How far it holds: participants, pairs, and all answers", tables=(table,), notes=tuple(notes)
    )


def _over_participants(study: Cells) -> Iterator[tuple[str, ...]]:
    accuracy, both = study["accuracy"], study["two_way"]
    if accuracy["mean"] is None:
        return
    mean, interval, test = number(accuracy["mean"]), accuracy["interval"], accuracy["against_chance"]
    people = f"{accuracy['n']} participants"
    yield (
        "accuracy, participants resampled (Wilcoxon's test)", people, mean, limits(interval["low"], interval["high"]),
        p_cell(test["p"]),
    )  # fmt: skip
    limits_of_both = limits(both["accuracy"]["low"], both["accuracy"]["high"])
    over = f"{both['accuracy_participants']} participants, {both['accuracy_pairs']} pairs"
    yield "accuracy, participants and pairs resampled", over, mean, limits_of_both, ""


def _modelled(model: Cells) -> Iterator[tuple[str, ...]]:
    if model["reason"]:
        return
    what = "accuracy" if model["outcome"] == "correct" else f"share of {model['outcome']}"
    over = f"{model['n']} answers, {model['n_participants']} participants, {model['n_pairs']} pairs"
    p = p_cell(model["intercept"]["p"]) if model["intercept"] else NONE
    for key, words, shown in (
        ("mean_probability", "mixed model, all participants and pairs", ""),
        ("probability", "mixed model, the average participant at the average pair", p),
    ):
        if one := model[key]:
            yield f"{what}, {words}", over, number(one["value"]), limits(one["low"], one["high"]), shown


def _pooled(pooled: Cells) -> Iterator[tuple[str, ...]]:
    if pooled["share"] is None:
        return
    # Where somebody gave several answers the interval holds the truth in less than 90 % of cases.
    ends = NONE if pooled["overstates"] else limits(pooled["low"], pooled["high"])
    shown = number(pooled["share"]), ends, p_cell(pooled["p"])
    yield "accuracy, all answers pooled (exact binomial test)", f"{pooled['n']} answers", *shown


def _notes(study: Cells) -> Iterator[str]:
    model, pooled, both = study["mixed"], study["pooled"], study["two_way"]
    for warning in filter(None, (pooled["warning"], model["warning"], model["boundary"])):
        yield as_sentence(warning)
    spread = [
        f"{who} differ with a standard deviation of {number(one['value'], 2)} ({limits(one['low'], one['high'], 2)})"
        for who, one in (("participants", model["sd_participants"]), ("pairs", model["sd_pairs"]))
        if one
    ]
    if spread:
        yield f"In log odds, {' and '.join(spread)} under the model."
    if model["reason"]:
        yield f"There is no mixed model: {model['reason']}."
    if both["accuracy"]["reason"] and study["accuracy"]["mean"] is not None:
        yield f"There is no interval over participants and pairs: {both['accuracy']['reason']}."
    points = both["uncertainty"]
    if points["low"] is not None:
        yield (
            f"With pairs resampled as well, the 95 % interval of the mean uncertainty is "
            f"{limits(points['low'], points['high'])}."
        )
