"""Methods in words that several statistics share, each with its source."""

from collections.abc import Iterator, Sequence

from analysis.choice.conditions import ConditionComparison

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


def conditions_in_words(found: Sequence[ConditionComparison], alternative: str) -> Iterator[str]:
    """The methods of comparing conditions; none if none were compared."""
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
