"""Hypotheses and their tests in words, for documents."""

from app.studies.file.hypotheses import ALL, CHANCE, OF_PAIRS, SHARES, DesignHypothesis

_DIRECTIONS = {"less": "lower", "greater": "higher", "two-sided": "different"}
_TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test over participants",
    "mann-whitney": "the Mann-Whitney test of participants' values",
}


def expectation(one: DesignHypothesis) -> str:
    """The hypothesis in a sentence, from its keys."""
    first, second = one.compare
    of = measure_words(one)
    if second == CHANCE:
        where = "over all main trials" if first == ALL else f"in {first}"
        way = {"less": "is below", "greater": "is above", "two-sided": "differs from"}[one.direction]
        return f"{of} {where} {way} chance (50%)."
    if one.direction == "two-sided":
        return f"{of} differs between {first} and {second}."
    return f"{of} is {_DIRECTIONS[one.direction]} in {first} than in {second}."


def measure_words(one: DesignHypothesis) -> str:
    if one.measure == "preference":
        return f"preference for {one.source}"
    return one.measure if one.measure in OF_PAIRS else f"the answer to “{one.measure}”"


def test_line(one: DesignHypothesis) -> str:
    first, second = one.compare
    sides = (
        "two-sided" if one.direction == "two-sided" else f"one-sided ({first} {_DIRECTIONS[one.direction]})"
    )
    against = "against one half" if second == CHANCE else f"{first} against {second}"
    return (
        f"{measure_words(one)}, {against}, by {_TESTS[one.test]}, {sides}, alpha {one.alpha:g}{_holm(one)}."
    )


def _holm(one: DesignHypothesis) -> str:
    return (
        ", p corrected by Holm's method over all hypotheses that say so" if one.correction == "holm" else ""
    )


def smallest_words(one: DesignHypothesis) -> str:
    if one.smallest is not None:
        return f"{one.smallest:g}."
    return (
        "0.1 (ten points)."
        if one.measure in SHARES
        else "not given; any difference as expected has to be excluded."
    )
