"""Yes / no judgements on the results page: accuracy, hits and false alarms, d' and criterion, every participant."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.detection.measures import Detection
from analysis.detection.studies import BlockJudgements
from analysis.findings.arms import rating_arms_figure
from analysis.findings.detection import PLAIN_MEANS
from analysis.findings.marks import described, few, mark, nothing, plain_interval
from analysis.findings.model import Column, Figure, Mark, Numbers
from analysis.findings.words import count, ends_of, exact, people, percent, sentence
from analysis.results import table_rows

MOST_PEOPLE = 24


def judgement_figures(block: BlockJudgements, letter: str, pseudonym: Mapping[str, str]) -> Iterator[Figure]:
    analysis, section = block.analysis, f"yes-no:{block.block}"
    all_of = analysis.groups[0]
    if all_of.accuracy.mean is None:
        why = all_of.accuracy.reason or "no answer counts"
        yield nothing(f"judged{letter}", section, sentence(why), "")
        return
    groups = [(group.condition or "All answers", group) for group in analysis.groups]
    yield _shares_figure(f"judged{letter}", section, block, groups)
    yield _sensitivity_figure(f"sensitivity{letter}", section, block, groups)
    if block.arms and (accuracy := [one for one in block.arms.measures if one.measure == "accuracy"]):
        yield rating_arms_figure(f"judgedarms{letter}", section, accuracy, "yes-no")
    yield _people_figure(f"judging{letter}", section, block, pseudonym)


def _shares_figure(
    name: str, section: str, block: BlockJudgements, groups: Sequence[tuple[str, Detection]]
) -> Figure:
    """Accuracy, hits and false alarms."""
    signal, noise = block.analysis.signal, block.analysis.noise
    all_of = groups[0][1]
    rows = [
        (f"{label}: {measure}" if len(groups) > 1 else measure, one)
        for label, group in groups
        for measure, one in (
            ("accuracy", group.accuracy),
            (f"{signal} called {signal}", group.hit_rate),
            (f"{noise} called {signal}", group.false_alarm_rate),
        )
        if one.mean is not None
    ]
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=f"{percent(all_of.hit_rate.mean)} of {signal} and {percent(all_of.false_alarm_rate.mean)} of {noise} "
        f"were called {signal}.",
        strong=percent(all_of.hit_rate.mean),
        how=f"Each participant's share first, then the mean, with 95% interval over "
        f"{people(all_of.n_participants)}; {count(all_of.n_stimuli, 'item')}.",
        numbers=Numbers(
            "Accuracy, hits and false alarms", _OVER_PEOPLE, tuple(described(*row) for row in rows)
        ),
        marks=tuple(mark(label, one) for label, one in rows),
        caution=few(all_of.n_participants, "person", all_of.accuracy),
    )


_OVER_PEOPLE = (
    Column("measure", "Measure", "text"),
    Column("participants", "Participants", "count"),
    Column("mean", "Mean"),
    Column("ci_low", "from"),
    Column("ci_high", "to"),
    Column("sd_ddof1", "SD (n-1)"),
)


def _sensitivity_figure(
    name: str, section: str, block: BlockJudgements, groups: Sequence[tuple[str, Detection]]
) -> Figure:
    """d' and criterion, on an axis of their own."""
    all_of = groups[0][1]
    rows = [
        (f"{label}: {measure}" if len(groups) > 1 else measure, one)
        for label, group in groups
        for measure, one in (("d'", group.d_prime_of_group), ("criterion c", group.criterion_of_group))
        if one.mean is not None
    ]
    if not rows:
        return nothing(name, section, sentence(f"d' is not defined: {all_of.d_prime.reason}"), "")
    ends = [abs(end) for _, one in rows for end in (one.mean, *ends_of(one)) if end is not None]
    widest = max(1.0, *ends)
    fitted = all_of.multilevel.d_prime.value is not None
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=f"Sensitivity d' is {exact(all_of.d_prime_of_group.mean)}, criterion c "
        f"{exact(all_of.criterion_of_group.mean)}.",
        strong=exact(all_of.d_prime_of_group.mean),
        how=("The group's by a multilevel probit, with 95% interval" if fitted else f"{sentence(PLAIN_MEANS)[:-1]}")
        + f". d' of 0 is chance; c above 0 is a tendency to answer {block.analysis.noise}.",
        numbers=Numbers("Sensitivity and criterion", _OVER_PEOPLE, tuple(described(*row) for row in rows)),
        marks=tuple(
            Mark(
                label, one.mean, *ends_of(one), exact(one.mean), plain_interval(one), "ink",
                spoken=f"{label}: {exact(one.mean)}, {plain_interval(one)}",
            )
            for label, one in rows
        ),
        chance=0.0,
        even="0",
        scale=(-widest, widest),
        ends=(f"{-widest:.2g}", f"{widest:.2g}"),
    )  # fmt: skip


def _people_figure(name: str, section: str, block: BlockJudgements, pseudonym: Mapping[str, str]) -> Figure:
    """Every participant, the least accurate first."""
    rows = sorted(
        (
            (
                pseudonym.get(str(row["participant"]), "p"),
                row["hits"], row["n_signal"], row["false_alarms"], row["n_noise"],
                row["accuracy"], row["d_prime"], row["criterion"],
            )
            for row in table_rows(block.analysis.participants)
            if row["accuracy"] is not None
        ),
        key=lambda row: (row[5], row[0]),
    )  # fmt: skip
    half = MOST_PEOPLE // 2
    shown = rows if len(rows) <= MOST_PEOPLE else [*rows[:half], *rows[-half:]]
    lowest, highest = rows[0][5], rows[-1][5]
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=f"Participants' accuracy runs from {percent(lowest)} to {percent(highest)}.",
        how="Each participant's share of right answers."
        + (f" The {half} lowest and the {half} highest of {len(rows):,}." if len(rows) > MOST_PEOPLE else ""),
        numbers=Numbers(
            "Participants",
            (
                Column("participant", "Participant", "text"),
                Column("hits", "Hits", "count"),
                Column("n_signal", f"of {block.analysis.signal}", "count"),
                Column("false_alarms", "False alarms", "count"),
                Column("n_noise", f"of {block.analysis.noise}", "count"),
                Column("accuracy", "Accuracy", "share"),
                Column("d_prime", "d'"),
                Column("criterion", "c"),
            ),
            tuple(rows),
        ),
        marks=tuple(
            Mark(row[0], row[5], None, None, percent(row[5]), f"of {row[2] + row[4]:,}") for row in shown
        ),
    )
