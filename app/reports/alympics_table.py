"""Table 3 of "ALYMPICS: LLM agents meet game theory" from the released scores, compared with the printed one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, quantiles, stdev

from analysis.data.rating_table import as_number
from app.reports.alympics_sheets import Score

AGENTS, PEOPLE = "agents", "people, about themselves"
COLUMNS = (
    *("who", "criterion", "n", "first_quartile", "median", "third_quartile", "mean", "sd"),
    *(
        "printed_first_quartile",
        "printed_median",
        "printed_third_quartile",
        "printed_mean",
        "printed_sd",
        "note",
    ),
)
"""The columns of the table, in order (docs/elsewhere.md)."""
N_JUDGES = 10
NOT_RELEASED = "not in the release"


@dataclass(frozen=True, slots=True)
class Described:
    """Scores as the table has them, with two decimals: quartiles by linear interpolation, mean, SD (ddof 1)."""

    quartiles: tuple[str, str, str]
    mean: str
    sd: str

    @property
    def cells(self) -> tuple[str, ...]:
        return (*self.quartiles, self.mean, self.sd)


def _printed(text: str) -> Described:
    lower, median, upper, average, sd = text.split()
    return Described((lower, median, upper), average, sd)


PRINTED: Mapping[str, Described] = {
    "IU": _printed("3.00 3.00 4.00 3.33 1.04"),
    "LR": _printed("3.00 4.00 4.00 3.47 1.00"),
    "SE": _printed("3.00 4.00 4.00 3.46 1.10"),
    "AD": _printed("3.00 4.00 4.00 3.42 1.12"),
    "LP": _printed("3.00 4.00 4.00 3.88 0.88"),
    "IA": _printed("3.00 4.00 5.00 3.51 1.24"),
}
# What the ten judges gave themselves after playing; nobody was asked for the persona's criterion.
PRINTED_OF_PEOPLE: Mapping[str, Described] = {
    "IU": _printed("3.00 4.00 4.00 3.60 0.52"),
    "LR": _printed("3.00 4.00 4.00 3.50 0.71"),
    "SE": _printed("3.00 3.50 4.00 3.30 0.82"),
    "AD": _printed("3.00 3.50 4.75 3.70 1.06"),
    "LP": _printed("3.00 3.50 4.00 3.40 1.26"),
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """The counted scores of one criterion: their number, their description, and the printed one.

    `with_impossible` includes numbers outside the scale, None if there are none.
    """

    name: str
    n: int
    scores: Described
    printed: Described | None
    with_impossible: Described | None

    @property
    def is_as_printed(self) -> bool:
        return self.printed == self.scores

    def __str__(self) -> str:
        said = f"{self.name}: {self.n} scores, {_mean(self.scores)}"
        if self.printed is None:
            return f"{said}, quartiles {' '.join(self.scores.quartiles)}"
        return f"{said}{self._of_mean(self.printed)}; quartiles {' '.join(self.scores.quartiles)}" + (
            ", as printed"
            if self.printed.quartiles == self.scores.quartiles
            else f"; printed {' '.join(self.printed.quartiles)}"
        )

    def _of_mean(self, printed: Described) -> str:
        if _mean(printed) == _mean(self.scores):
            return ", as printed"
        said = f"; printed {printed.mean} ({printed.sd})"
        if self.with_impossible is None:
            return f"{said}, which the released scores do not give"
        other = self.with_impossible
        exact = _mean(other) == _mean(printed)
        said += f"; with the impossible scores it is {other.mean} ({other.sd})"
        return f"{said}{'' if exact else ', so neither is what was printed'}"


def criteria_of(scores: Sequence[Score]) -> list[Criterion]:
    """Each criterion in the order of the sheet, those with fewer than two scores left out."""
    found = []
    for name in dict.fromkeys(row.criterion for row in scores):
        rows = [row for row in scores if row.criterion == name]
        counted = [as_number(row.score) for row in rows if not row.refused]
        numbers = [n for row in rows if (n := as_number(row.score)) == n]
        if len(counted) > 1:
            other = _described(numbers) if len(numbers) > len(counted) else None
            found.append(Criterion(name, len(counted), _described(counted), PRINTED.get(name), other))
    return found


def table_rows(scores: Sequence[Score]) -> Iterator[tuple[str, ...]]:
    """The rows of the table: agents, agents of each group of records, and the printed values of people."""
    for one in criteria_of(scores):
        printed = one.printed.cells if one.printed else ("",) * 5
        note = "as printed" if one.is_as_printed else ""
        yield (AGENTS, one.name, str(one.n), *one.scores.cells, *printed, note)
    for group in sorted({row.group for row in scores}):
        for one in criteria_of([row for row in scores if row.group == group]):
            yield (f"{AGENTS}, {group}", one.name, str(one.n), *one.scores.cells, *("",) * 5, "not printed")
    for name, own in PRINTED_OF_PEOPLE.items():
        yield (PEOPLE, name, str(N_JUDGES), *("",) * 5, *own.cells, NOT_RELEASED)


def _mean(one: Described) -> str:
    return f"mean {one.mean} (SD {one.sd})"


def _described(values: Sequence[float]) -> Described:
    lower, median, upper = (f"{each:.2f}" for each in quantiles(values, n=4, method="inclusive"))
    return Described((lower, median, upper), f"{mean(values):.2f}", f"{stdev(values):.2f}")
