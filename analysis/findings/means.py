"""Means over participants, accuracy against chance, and answers that name neither member."""

from collections.abc import Iterator

from analysis.choice.studies import StudyResult
from analysis.findings.model import Numbers, Section
from analysis.findings.tables import column, counts, ends, names, reasons, said
from analysis.reported import Settings
from analysis.stats.description import Description
from analysis.stats.p_values import p_words

# By chance and dropouts an even allocation stays far below.
_UNEQUAL = 2


def means(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `accuracy`, `uncertainty`, `preferences` and `against_chance`."""
    named = described(study)
    yield Section(
        "means",
        "Means over participants",
        tables=(
            Numbers(
                "Means over participants; each participant's trials are averaged first",
                (
                    *(*names("measure"), *counts("participants", "without"), column("mean")),
                    *(column("95% interval"), column("SD (n-1)"), column("SD (n)")),
                ),
                tuple(
                    (name, one.n, one.n_missing, one.mean, ends(one.interval), one.sd_ddof1, one.sd_ddof0)
                    for name, one in named
                ),
            ),
        ),
        notes=(_chance(study), *_unequal(study), *reasons(named)),
        methods=tuple(_methods(study, settings)),
    )


def described(study: StudyResult) -> list[tuple[str, Description]]:
    """All measures of a study with one value per participant, by name."""
    trials = "pairs with a right member" if study.uncertainty_trials == "with-truth" else "all pairs"
    preferences = [
        (f"{one.source} chosen over {one.against}, {one.condition or 'no condition'}", one.description)
        for one in study.preferences
    ]
    uncertainty = [
        (f"uncertainty, {trials}", study.uncertainty),
        ("uncertainty, all main pairs", study.uncertainty_all),
    ]
    return [("accuracy", study.accuracy), *(uncertainty if study.asks_uncertainty else ()), *preferences]


def _chance(study: StudyResult) -> str:
    test = study.against_chance
    if test.p is None or test.w is None or test.rank_biserial is None:
        return f"Accuracy was not tested against chance ({test.chance}): {test.reason}."
    return (
        f"Accuracy against chance ({test.chance}): Wilcoxon's signed-rank test, W = {test.w:.1f}, {p_words(test.p)}, "
        f"{test.alternative} ({test.method}); rank-biserial correlation {test.rank_biserial:z.2f}; n = {test.n}, "
        f"{test.n_at_chance} of them exactly at chance."
    )


def _unequal(study: StudyResult) -> Iterator[str]:
    """A warning where some sources met much more often than others, as `allocate: informative` has it."""
    n = [one.n_comparisons for one in study.bradley_terry.probabilities if one.n_comparisons]
    if len(n) > 1 and max(n) > _UNEQUAL * min(n):
        yield (
            f"Pairs of sources were compared unequally often, {min(n):,} to {max(n):,} times. Numbers over all pairs, "
            "such as accuracy and how often a source was chosen, weigh them as they were shown, so that they are of "
            "whom a source met; the strengths of sources are not."
        )


def _methods(study: StudyResult, settings: Settings) -> Iterator[str]:
    both = (
        " Intervals that resample participants and pairs are from the pigeonhole bootstrap [Owe07]."
        if study.two_way.accuracy.low is not None or study.two_way.uncertainty.low is not None
        else ""
    )
    yield (
        "The trials of one participant are not independent; they were averaged first, and participants are what is "
        "described, tested and resampled. Means are given with the standard deviation over participants and a "
        f"{100 * settings.level:g}% interval: of fewer than 50 participants Student's t (shares on the logit scale), "
        f"of more a percentile bootstrap that resamples participants ({settings.resamples:,} resamples) [ET93], of "
        f"fewer than 3 none.{both}"
    )
    if not study.accuracy.n:
        return
    blank = "are left out" if settings.blank == "missing" else "count as wrong"
    tested = (
        " It was tested against chance (0.5) by Wilcoxon's signed-rank test, two-sided [Wil45], with the matched-pairs "
        "rank-biserial correlation [Ker14]."
        if study.against_chance.p is not None
        else ""
    )
    yield (
        "Accuracy is a participant's share of right choices among the main pairs that have a right member; blank "
        f"answers {blank}.{tested}"
    )


def ties(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `ties`: no section if no answer states no difference."""
    found = study.ties
    if found.share is None or found.accuracy_half is None:
        return
    yield Section(
        "ties",
        "Answers of no difference",
        (
            f"{found.n_tie} of {found.n_tie + found.n_chosen} votes say that there is no difference "
            f"({100 * found.share:.0f}%); {found.n_blank} answers are blank, which are no votes. Accuracy and "
            "preferences are of the answers that name a member. With half a point for each such vote the accuracy is "
            f"{said(found.accuracy_half)}.",
        ),
        notes=tuple(reasons([("accuracy with half a point for a tie", found.accuracy_half)])),
    )
