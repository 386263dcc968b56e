"""Judgements of single stimuli: how well people tell two classes apart, and which way they lean, in all numbers."""

from collections.abc import Iterator

from analysis.choice.chance import ChanceTest
from analysis.detection.measures import Detection, DetectionAnalysis, described_as, rows_without_sensitivity
from analysis.findings.arms import rating_arms_section
from analysis.findings.condition_tests import conditions_compared
from analysis.findings.methods import conditions_in_words
from analysis.findings.model import Measured, Numbers, Section
from analysis.findings.tables import column, counts, ends, names, reasons, said, sentences
from analysis.results import table_rows
from analysis.stats.arms import ArmsCompared
from analysis.stats.description import Description
from analysis.stats.p_values import p_words

PLAIN_MEANS = "means over participants, which few trials pull towards 0"


def detection_sections(analysis: DetectionAnalysis, arms: ArmsCompared | None = None) -> Iterator[Section]:
    """All answers, each condition, conditions and `arms` compared, participants and stimuli."""
    for group in analysis.groups:
        yield _group(analysis, group)
    yield from conditions_compared(analysis.conditions, "two-sided", "stimuli")
    yield from rating_arms_section(arms, "yes-no")
    yield Section("model", "Other participants and other stimuli", tuple(model_and_agreement(analysis)))
    yield _participants(analysis)
    yield _stimuli(analysis)


def measures_of(group: Detection, signal: str, noise: str) -> list[tuple[str, Description]]:
    """The measures described over participants, with their names."""
    return [
        ("accuracy", group.accuracy),
        ("sensitivity d'", group.d_prime),
        ("criterion c", group.criterion),
        (f"{signal} called {signal} (hits)", group.hit_rate),
        (f"{noise} called {signal} (false alarms)", group.false_alarm_rate),
        ("d' of the group, multilevel", described_as(group.multilevel.d_prime, group.d_prime)),
        ("c of the group, multilevel", described_as(group.multilevel.criterion, group.criterion)),
    ]


def counted(analysis: DetectionAnalysis) -> str:
    """The numbers of answers and people counted, and the reasons for excluding others."""
    left_out = [
        f"{n} {words}"
        for n, words in (
            (analysis.n_blank, "blank"),
            (analysis.n_without_truth, "about a stimulus without a truth"),
        )
        if n
    ]
    all_of = analysis.groups[0]
    return (
        f"{analysis.n_answers} of {analysis.n_rows} answers of {all_of.n_participants} participants about "
        f"{all_of.n_stimuli} stimuli count{'; left out: ' if left_out else ''}{', '.join(left_out)}."
    )


def _group(analysis: DetectionAnalysis, group: Detection) -> Section:
    signal, noise = analysis.signal, analysis.noise
    named = measures_of(group, signal, noise)
    is_all = group.condition is None
    return Section(
        "group" if is_all else "condition",
        f"{signal} or {noise}" if is_all else f"Condition {group.condition}",
        (counted(analysis),) if is_all else (),
        tables=(
            Numbers(
                "Means over participants; each participant's answers are counted first",
                (
                    *(*names("measure"), *counts("participants", "without"), column("mean")),
                    *(column("95% interval"), column("SD (n-1)")),
                ),
                tuple(
                    (name, one.n, one.n_missing, one.mean, ends(one.interval), one.sd_ddof1)
                    for name, one in named
                ),
            ),
        ),
        notes=(
            f"Sensitivity against 0: {_tested(group.d_prime_against_zero)}.",
            f"Criterion against 0: {_tested(group.criterion_against_zero)}.",
            f"All answers together: {group.hits} of {group.n_signal} {signal} and {group.false_alarms} of "
            f"{group.n_noise} {noise} were called {signal}; d' {_two(group.d_prime_pooled)}, "
            f"c {_two(group.criterion_pooled)}. A positive c is a tendency to answer {noise}; with nothing but chance "
            f"d' is 0. Correction of d' and c: {analysis.correction}.",
            *reasons(named),
        ),
    )


def _two(value: float | None) -> str:
    return "not known" if value is None else f"{value:z.2f}"


def _tested(test: ChanceTest) -> str:
    if test.w is None or test.rank_biserial is None:
        return f"not tested, {test.reason}"
    return (
        f"Wilcoxon's signed-rank test, W = {test.w:.1f}, {p_words(test.p)}, {test.alternative} ({test.method}); "
        f"rank-biserial correlation {test.rank_biserial:z.2f}; n = {test.n}"
    )


def model_and_agreement(analysis: DetectionAnalysis) -> Iterator[str]:
    """The mixed model, for other participants and stimuli, and how far participants agree."""
    model, found = analysis.mixed, analysis.agreement
    if model.difference is None:
        yield f"There is no mixed model: {model.reason}."
    else:
        yield (
            "Mixed model, for other participants and other stimuli: sensitivity "
            f"{model.difference.value:z.2f} log odds ({model.difference.low:z.2f} to {model.difference.high:z.2f}), "
            f"{p_words(model.difference.p)}, two-sided."
        )
        yield from sentences(model.warning, model.boundary)
    named = (
        ("two participants agree", found.agreement),
        ("Fleiss' kappa", found.kappa),
        ("alpha", found.alpha),
    )
    there = [f"{label} {said(one)}" for label, one in named if one.value is not None]
    missing = dict.fromkeys(str(one.reason) for _, one in named if one.value is None)
    yield f"Agreement of participants on stimuli: {'; '.join([*there, *missing])}."


def _participants(analysis: DetectionAnalysis) -> Section:
    rows = tuple(
        (
            row["participant"],
            _share(row["hit_rate"], row["hits"], row["n_signal"]),
            _share(row["false_alarm_rate"], row["false_alarms"], row["n_noise"]),
            *(row["accuracy"], row["d_prime"], row["criterion"], row["n_blank"]),
        )
        for row in table_rows(analysis.participants)
    )
    columns = (
        *(*names("participant"), column("hits", "words"), column("false alarms", "words")),
        *(*(column(title, digits=2) for title in ("accuracy", "d'", "c")), *counts("blank")),
    )
    return Section(
        "participants",
        "Participants",
        tables=(Numbers("Participants; d' and c with the log-linear correction", columns, rows),),
        notes=tuple(
            f"No d' and c for {len(who)} of them ({', '.join(who[:5])}{', ...' if len(who) > 5 else ''}): {reason}."
            for reason, who in rows_without_sensitivity(analysis.participants)
        ),
        names_people=True,
    )


def _share(value: float | None, part: int, whole: int) -> str | None:
    return None if value is None else f"{value:.2f} ({part}/{whole})"


def _stimuli(analysis: DetectionAnalysis) -> Section:
    called = column(f"called {analysis.signal}", "words")
    rows = tuple(
        (
            *(row["stimulus"], row["condition"], row["truth"], f"{row['n_signal']} of {row['n']}"),
            Measured(row["share_signal"], row["ci_low"], row["ci_high"]),
        )
        for row in table_rows(analysis.stimuli)
    )
    caption = f"Stimuli: how often each was called {analysis.signal}, with Wilson's interval"
    columns = (*names("stimulus", "condition", "truth"), called, column("share", digits=2))
    return Section("stimuli", "Stimuli", tables=(Numbers(caption, columns, rows),))


def detection_methods(analysis: DetectionAnalysis) -> str:
    """The methods of the numbers on judgements."""
    compared = "".join(f"{one} " for one in conditions_in_words(analysis.conditions.comparisons, "two-sided"))
    return (
        f"Each answer names a stimulus {analysis.signal} or {analysis.noise}; a hit is a stimulus that is "
        f"{analysis.signal} and was called so, a false alarm one that is {analysis.noise} and was called "
        f"{analysis.signal}. Sensitivity d' = z(H) - z(F) and criterion "
        "c = -(z(H) + z(F)) / 2 of each participant [MC05] have the log-linear correction of all counts [Hau95]; "
        "those of the group, with intervals, are a multilevel probit's [DeC98], [RL05]. Shares were described over "
        "participants, with intervals that resample participants or are Student's t "
        f"({analysis.resamples:,} resamples) [ET93]; d' and c were tested against 0 by Wilcoxon's signed-rank test, "
        "two-sided "
        "[Wil45]. The mixed model is logistic, with participants and stimuli as crossed random intercepts and the "
        "truth as a fixed effect, fitted by nested Laplace approximation [RMC09]. "
        f"{compared}Agreement is Fleiss' kappa [Fle71]; "
        "shares of answers have Wilson's interval [Wil27]."
    )
