"""A study's further sections for a terminal: models, certainty, bias, agreement, sources."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.choice.bias import Bias
from analysis.choice.certainty import Certainty
from analysis.choice.chance import ChanceTest
from analysis.choice.studies import StudyResult
from analysis.results import table_rows
from analysis.stats.agreement import Agreement
from analysis.stats.bradley_terry import BradleyTerry
from analysis.stats.dawid_skene import DawidSkene
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from analysis.stats.mixed import MixedModel, ModelNumber
from analysis.stats.p_values import p_words
from analysis.text.conditions import conditions
from analysis.text.terminal import heading, interval_of, name_of, number, range_of, table_of

_MOST = 20


def sections(study: StudyResult) -> Iterator[RenderableType]:
    """What a reviewer asks next, each with its interval, its n and its reason where it is not defined."""
    yield from conditions(study.conditions)
    yield from _dependence(study)
    yield from _certainty(study.certainty)
    yield from _bias(study.bias)
    yield from _agreement(study.agreement)
    yield from _dawid_skene(study.dawid_skene)
    yield from _bradley_terry(study.bradley_terry)


def _dependence(study: StudyResult) -> Iterator[RenderableType]:
    two_way, pooled, mixed = study.two_way, study.pooled, study.mixed
    yield heading("Answers that are not independent: participants and pairs")
    uncertainty = [("uncertainty", two_way.uncertainty)] if study.asks_uncertainty else []
    for what, interval in (("accuracy", two_way.accuracy), *uncertainty):
        shown = interval_of(interval) if interval.reason is None else f"none: {interval.reason}"
        yield (f"95% interval of the mean {what}, participants and pairs resampled: {shown}")
    if pooled.reason:
        yield f"All answers pooled: not tested, {pooled.reason}."
    else:
        # Where somebody gave several answers the interval holds the truth in less than 90% of cases.
        ends = "" if pooled.overstates else f" {range_of(pooled.low, pooled.high)}"
        yield (
            f"All {pooled.n} answers pooled: {number(pooled.share)}{ends}, {p_words(pooled.p)} "
            f"(two-sided; {pooled.method}). {pooled.warning or ''}".rstrip()
        )
    yield from _mixed(mixed)


def _mixed(mixed: MixedModel) -> Iterator[RenderableType]:
    if mixed.reason:
        yield f"Mixed model: not fitted, {mixed.reason}."
        return
    rows = {
        "intercept (log odds)": mixed.intercept,
        "probability, average participant and pair": mixed.probability,
        "mean probability": mixed.mean_probability,
        "SD of participants (log odds)": mixed.sd_participants,
        "SD of pairs (log odds)": mixed.sd_pairs,
    }
    table = table_of(f"mixed model of {mixed.outcome}, n = {mixed.n}", "estimate", "95% interval", "p")
    for label, value in rows.items():
        if value is not None:
            table.add_row(label, *_model_number(value))
    yield table
    yield f"Method: {mixed.method}."
    yield from filter(None, (mixed.warning, mixed.boundary))


def _model_number(value: ModelNumber) -> tuple[str, str, str]:
    p = "" if value.p is None else p_words(value.p)
    return number(value.value), range_of(value.low, value.high), p


def _certainty(certainty: Certainty) -> Iterator[RenderableType]:
    yield heading("Certainty and accuracy")
    if certainty.reason:
        yield f"Not defined: {certainty.reason}."
        return
    if certainty.mean is not None:
        described = _described(certainty.mean, 2)
        yield f"Certainty (more is more certain): {described}; {certainty.n_values} different values."
    table = table_of(certainty.scale, "answers", "participants", "accuracy", "95% interval", "pooled")
    for level in certainty.levels:
        table.add_row(
            level.name,
            str(level.n_answers),
            str(level.n_participants),
            number(level.accuracy.mean),
            interval_of(level.accuracy.interval),
            number(level.pooled.value),
        )
    yield table
    if certainty.binned:
        yield f"The table has {len(certainty.levels)} quantile bins; the areas are of the values as given."
    yield (
        f"Type-2 AUROC (0.5: certainty tells nothing): {_described(certainty.auroc)}; not defined for "
        f"{certainty.n_all_right} all right, {certainty.n_all_wrong} all wrong, {certainty.n_constant} equally certain."
    )


def _bias(bias: Bias) -> Iterator[RenderableType]:
    yield heading("Bias")
    side, learning = bias.side, bias.learning
    if side.reason:
        yield f"Side: not defined, {side.reason}."
    else:
        yield f"Share of left choices: {_described(side.left)}; {_tested(side.left_against_half)}"
        yield f"Accuracy, truth left less truth right: {_described(side.effect)}"
    if learning.reason:
        yield f"Learning: not defined, {learning.reason}."
    else:
        tested = _tested(learning.slope_against_zero)
        yield f"Learning, accuracy per position: {_described(learning.slope, 4)}; {tested}"


def _agreement(found: Agreement) -> Iterator[RenderableType]:
    yield heading("Agreement")
    yield (
        f"{found.n_votes} votes of {found.n_participants} participants on {found.n_pairs} pairs, "
        f"{found.n_pairs_one_vote} of which have one vote only."
    )
    chance = "1/2" if found.choice.chance == 0.5 else f"{found.choice.chance:.2f}"
    table = table_of("", "value", "95% interval", "n")
    choice, uncertainty = found.choice, found.uncertainty
    rows = {
        "choice: two participants agree": choice.agreement,
        f"choice: Krippendorff's alpha, chance {chance}": choice.alpha,
        f"choice: Fleiss' kappa, chance {chance}": choice.kappa,
        f"choice: Gwet's AC1, chance {chance}": choice.ac1,
        **{
            f"{' / '.join(map(name_of, one.sources))} ({name_of(one.condition)}): {what}": estimate
            for one in found.sources
            for what, estimate in (("alpha", one.alpha), ("kappa", one.kappa), ("AC1", one.ac1))
        },
        "vote shares: split-half reliability": found.split_half.reliability,
        "uncertainty: alpha, ordinal": uncertainty.alpha,
        "uncertainty: ICC, one participant": uncertainty.icc_single,
    }
    for label, estimate in rows.items():
        table.add_row(label, *_estimate(estimate))
    yield table
    for label, estimate in rows.items():
        if estimate.reason:
            yield f"  {label}: {estimate.reason}."


def _dawid_skene(found: DawidSkene) -> Iterator[RenderableType]:
    yield heading("Labels that weigh participants by their skill (Dawid-Skene, hierarchical)")
    if found.reason:
        yield f"{found.reason[:1].upper()}{found.reason[1:]}."
    if found.log_likelihood is None:
        return
    yield from _labels_found(found)
    for row in table_rows(found.disagreements.head(_MOST)):
        yield (
            f"  {name_of(row['pair'])}: {row['votes_a']} : {row['votes_b']} for {row['majority']}, "
            f"Dawid-Skene {row['label']} (probability of a {number(row['p_a'], 2)})"
        )
    if found.n_disagreements > _MOST:
        yield f"  The first {_MOST} of {found.n_disagreements}; --json has them all."


def _labels_found(found: DawidSkene) -> Iterator[str]:
    """Model and majority where there is a majority, and tied pairs apart."""
    decided = found.n_pairs - found.n_tied
    yield f"{found.n_disagreements} of {decided} labels of pairs with a majority differ from it."
    if found.n_truth:
        yield (
            f"Of {found.n_truth} such pairs with a truth the label finds it on {found.n_label_is_truth} (by its own "
            f"probabilities on {number(found.n_truth_expected, 0)}), the majority on {found.n_majority_is_truth}."
        )
    if found.n_tied:
        yield f"{found.n_tied} {'pair is' if found.n_tied == 1 else 'pairs are'} tied{_tied_found(found)}."
    if found.too_sure:
        yield "The model's probabilities are too sure here: fewer labels are right than they say (p < .05)."


def _tied_found(found: DawidSkene) -> str:
    if not found.n_tied_truth:
        return ""
    return (
        f": of {found.n_tied_truth} with a truth the label finds it on {found.n_tied_label_is_truth}, a coin on "
        f"{number(found.n_tied_truth / 2, 1)}"
    )


def _bradley_terry(found: BradleyTerry) -> Iterator[RenderableType]:
    yield heading("Sources (Bradley-Terry)")
    if not found.strengths:
        yield f"Not fitted: {found.reason}."
        return
    table = table_of("source", "comparisons", "wins", "strength (log)", "95% interval")
    for one in found.strengths:
        estimate = one.strength if one.strength.value is not None else one.strength_plain
        table.add_row(name_of(one.source), str(one.n_comparisons), str(one.n_wins), *_estimate(estimate)[:2])
    yield table
    if found.reason:
        yield f"{found.reason}."
    left = found.left_advantage
    said = f"not defined, {left.reason}" if left.reason else " ".join(_estimate(left)[:2])
    yield f"Advantage of standing left (log odds): {said}."


def _described(described: Description, digits: int = 3) -> str:
    if described.mean is None:
        return f"not defined, {described.reason}"
    return f"{number(described.mean, digits)} {interval_of(described.interval, digits)}, n = {described.n}"


def _tested(test: ChanceTest) -> str:
    return (
        f"not tested, {test.reason}" if test.reason else f"{p_words(test.p)} (Wilcoxon, {test.alternative})"
    )


def _estimate(estimate: Estimate) -> tuple[str, str, str]:
    return number(estimate.value), interval_of(estimate.interval), str(estimate.n)
