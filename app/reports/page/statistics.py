"""The statistics of a report in words, each with its source: only those that were computed, none that was refused."""

from collections.abc import Iterator, Sequence

from analysis import Analysis
from analysis.choice.conditions import ConditionComparison
from analysis.figures.words import listed

JUDGES = (
    "Judges were held against people on the same pairs: accuracy against the truth and against the majority of "
    "votes, and Spearman's correlation with the share of votes [Spe04], once as Devlin et al. computed them [NTT21] "
    "and once with tied verdicts counted as a half and tied majorities left out; Cohen's kappa [Coh60]; where scores"
    " are probabilities, the Brier score [Bri50] and the calibration error [NCH15]. Intervals are over pairs, and "
    "runs where a judge has several, by the bootstrap and of fewer than 50 pairs by the jackknife. The human ceiling"
    " is one participant against the majority of the others, a half where they are level, and one half of the "
    "participants against the other half, on the pairs that the judge judged; whether a judge is above or below one "
    "participant is the difference of both against the same others. Whether a judge may stand in for a participant "
    "is asked by the alternative annotator test [CRD25], corrected as in [BY01]; two judges are compared by "
    "McNemar's exact test [McN47]; preferences with the help of verdicts are prediction-powered estimates [ABF23]."
)


def statistics(analysis: Analysis) -> Iterator[str]:
    """A paragraph for each kind of result."""
    has_accuracy = any(study.accuracy.n for study in analysis.studies)
    yield from _means(analysis)
    if has_accuracy:
        yield from _accuracy(analysis)
    yield from _comparisons(analysis)
    found = [one for study in analysis.studies for one in study.conditions.comparisons]
    yield from conditions_in_words(found, analysis.settings.alternative)
    yield from _certainty(analysis)
    yield from _agreement(analysis)
    yield from _labels(analysis)


def _level(analysis: Analysis) -> str:
    return f"{100 * analysis.settings.level:g}%"


def _means(analysis: Analysis) -> Iterator[str]:
    intervals = [
        one
        for study in analysis.studies
        for one in (study.two_way.accuracy, study.two_way.uncertainty)
        if one.low is not None
    ]
    both = (
        " Intervals that resample participants and pairs are from the pigeonhole bootstrap [Owe07]."
        if intervals
        else ""
    )
    yield (
        "The trials of one participant are not independent; they were averaged first, and participants are what is "
        "described, tested and resampled. Means are given with the standard deviation over participants and a "
        f"{_level(analysis)} interval: of fewer than 50 participants Student's t (shares on the logit scale), of more "
        f"a percentile bootstrap that resamples participants ({analysis.settings.resamples:,} resamples) [ET93], of "
        f"fewer than 3 none.{both}"
    )


def _accuracy(analysis: Analysis) -> Iterator[str]:
    blank = "are left out" if analysis.settings.blank == "missing" else "count as wrong"
    tested = any(study.against_chance.p is not None for study in analysis.studies)
    test = (
        " It was tested against chance (0.5) by Wilcoxon's signed-rank test, two-sided [Wil45], with the matched-pairs "
        "rank-biserial correlation [Ker14]."
        if tested
        else ""
    )
    yield (
        "Accuracy is a participant's share of right choices among the main pairs that have a right member; blank "
        f"answers {blank}.{test}"
    )
    beside = []
    if any(study.pooled.p is not None for study in analysis.studies):
        beside.append(
            "an exact binomial test of all answers with the design effect of pooling them [CP34], [CGM11]"
        )
    if any(study.mixed.intercept is not None for study in analysis.studies):
        beside.append(
            "a logistic mixed model with participants and pairs as crossed random intercepts, fitted by nested Laplace "
            "approximation [RMC09]"
        )
    if beside:
        yield f"Beside it stand{'s' if len(beside) == 1 else ''} {' and '.join(beside)}."


def _comparisons(analysis: Analysis) -> Iterator[str]:
    if any(one.paired and one.paired.p is not None for one in analysis.comparisons):
        yield (
            "Studies with participants in common were compared within these participants, by Wilcoxon's signed-rank "
            f"test, {analysis.settings.alternative} [Wil45], with the Hodges-Lehmann estimate and its "
            "distribution-free interval [HL63], [HWC14], the matched-pairs rank-biserial correlation [Ker14], and a "
            "permutation test that swaps the two values of a participant [PS10]; the study was a fixed effect of the "
            "mixed model, in which each participant has one random intercept."
        )
    if any(one.compared_as == "independent" and one.test.p is not None for one in analysis.comparisons):
        family = analysis.comparisons[0].n_family_as_compared
        yield (
            "Studies were compared by the Mann-Whitney test of their participants' means, "
            f"{analysis.settings.alternative} [MW47], with the common-language effect size [MW92], and p values "
            f"corrected by Holm's method over {family} comparisons [Hol79]; beside it stand "
            "the Hodges-Lehmann shift [HL63] with its distribution-free interval [Bau72] and a permutation test of the "
            "difference in means [PS10]."
        )
    if any(one.friedman for one in analysis.several):
        yield (
            "More than two studies at once, with the same participants, were compared by Friedman's test [Fri37], with "
            "Kendall's coefficient of concordance."
        )
    if any(one.compared_as == "independent" for one in analysis.several):
        yield (
            "More than two studies at once were compared by the Kruskal-Wallis test [KW52], with the interval of "
            "epsilon squared from the noncentral chi-squared distribution [SF97]."
        )


def conditions_in_words(found: Sequence[ConditionComparison], alternative: str) -> Iterator[str]:
    """How conditions were compared; nothing where none were."""
    if any(one.paired and one.paired.p is not None for one in found):
        yield (
            "Conditions were compared within the participants who answered in both, by Wilcoxon's "
            f"signed-rank test, {alternative} [Wil45], with the Hodges-Lehmann estimate and its "
            "distribution-free interval [HL63], [HWC14], and a permutation test that swaps the two values of a "
            f"participant [PS10]{_holm(found)}."
        )
    if any(one.independent and one.independent.p is not None for one in found):
        yield (
            "Conditions that different participants answered in were compared by the Mann-Whitney test of the "
            f"participants' means, {alternative} [MW47]{_holm(found)}."
        )


def _holm(found: Sequence[ConditionComparison]) -> str:
    family = max(one.n_family for one in found)
    if family < 2:
        return ""
    return f"; p values are corrected by Holm's method over the {family} pairs of conditions of a measure [Hol79]"


def _certainty(analysis: Analysis) -> Iterator[str]:
    found = [study.certainty for study in analysis.studies]
    named = [
        words
        for words, is_there in (
            (
                "the area under each participant's type-2 ROC curve [FL14]",
                any(one.auroc.mean is not None for one in found),
            ),
            ("Goodman and Kruskal's gamma [Nel84]", any(one.gamma.mean is not None for one in found)),
        )
        if is_there
    ]
    if not named:
        return
    pooled = any(one.auroc_pooled.interval.low is not None for one in found)
    clusters = "; over all answers the interval takes participants as clusters [Obu97]" if pooled else ""
    yield (
        f"Whether certainty tells right from wrong is {' and '.join(named)}, averaged over participants{clusters}."
    )


def _agreement(analysis: Analysis) -> Iterator[str]:
    found = [study.agreement for study in analysis.studies]
    named = [
        words
        for words, values in (
            ("Krippendorff's alpha [Kri04]", [one.choice.alpha for one in found]),
            ("Fleiss' kappa [Fle71]", [one.choice.kappa for one in found]),
            ("Gwet's AC1 [Gwe08]", [one.choice.ac1 for one in found]),
            (
                "of uncertainties the intraclass correlation [MW96]",
                [one.uncertainty.icc_single for one in found],
            ),
        )
        if any(value.value is not None for value in values)
    ]
    halves = any(one.split_half.reliability.value is not None for one in found)
    if named:
        yield f"Agreement of participants is {listed(named)}."
    if halves:
        yield "The reliability of vote shares is that of split halves [Spe10]."
    if named or halves:
        yield "Intervals are over pairs, by the bootstrap and of fewer than 50 pairs by the jackknife."


def _labels(analysis: Analysis) -> Iterator[str]:
    ties = "ties stay ties" if analysis.settings.ties == "keep" else "ties were broken at random by the seed"
    yield (
        f"A pair's label is the member that most answers chose; {ties}. The share of votes is given with Wilson's "
        f"{_level(analysis)} interval [Wil27]."
    )
    if any(study.dawid_skene.log_likelihood is not None for study in analysis.studies):
        yield (
            "Beside it stand labels weighed by skill of participants [DS79], whose probabilities are from a "
            "hierarchical model in which pairs differ in difficulty."
        )
    if any(
        one.strength.value is not None for study in analysis.studies for one in study.bradley_terry.strengths
    ):
        yield (
            "The strengths of the sources are by Bradley and Terry's model with a term for the side [BT52]."
        )
