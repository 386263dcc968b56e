"""Votes and verdicts for the tests of judges, small and made in the test that needs them."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis import check_responses, hntt_responses, read_hntt
from analysis.judging import check_verdicts
from analysis.judging.matching import Judged, match
from analysis.judging.pairs import Pairs, collect_pairs
from tests.analysis.tables import HNTT, answer, table


def votes(counts: Mapping[str, str], **cells: str) -> pd.DataFrame:
    """Checked answers: per pair one letter for each participant p0, p1, ... (`-` did not see it, `.` left a blank, `=`
    said that there is no difference)."""
    rows = [
        answer(participant=f"p{number}", pair=pair, choice={".": "", "=": "tie"}.get(letter, letter), **cells)
        for pair, letters in counts.items()
        for number, letter in enumerate(letters)
        if letter != "-"
    ]
    return check_responses(table(*rows))


def verdicts(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    return check_verdicts(pd.DataFrame(list(rows)))


def choices(named: Mapping[str, str], judge: str = "j", **cells: str) -> list[dict[str, object]]:
    """One row of choices of a judge: ``{"q1": "a"}``, empty for an abstention."""
    return [{"judge": judge, "pair": pair, "choice": choice, **cells} for pair, choice in named.items()]


def probabilities(named: Mapping[str, float], judge: str = "j", **cells: str) -> list[dict[str, object]]:
    return [{"judge": judge, "pair": pair, "score": score, **cells} for pair, score in named.items()]


def matched(responses: pd.DataFrame, rows: Sequence[Mapping[str, object]]) -> tuple[Judged, Pairs]:
    """The first judge and the pairs."""
    pairs = collect_pairs(responses)
    return match(verdicts(rows), pairs, responses)[0], pairs


def hntt() -> pd.DataFrame:
    return hntt_responses(read_hntt(HNTT))


def counted(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Votes for the first member, the second and a tie; without a third column there is no tie."""
    given = np.asarray(counts, dtype=np.int64).reshape(len(np.atleast_1d(counts)), -1)
    return np.pad(given, ((0, 0), (0, 3 - given.shape[1])))


def random_responses(
    rng: np.random.Generator,
    n_pairs: int,
    n_people: int,
    truth: bool = True,
    seen: float = 1.0,
    ties: float = 0.0,
) -> pd.DataFrame:
    """Votes of people who prefer one member of each pair, or see no difference in a share `ties` of cases."""

    def vote(lean: float) -> str:
        # Nothing is drawn for ties where there are none: the studies of before stay what they were.
        if ties and rng.random() < ties:
            return "="
        return "a" if rng.random() < lean else "b"

    lean = rng.random(n_pairs)
    return votes(
        {
            f"q{pair}": "".join(vote(lean[pair]) if rng.random() < seen else "-" for _ in range(n_people))
            for pair in range(n_pairs)
        },
        truth="a" if truth else "",
    )


def mirrored_responses(responses: pd.DataFrame, flip: set[str]) -> pd.DataFrame:
    """The same answers with a and b of some pairs the other way round."""
    text = responses.astype(object)
    turn = text["pair"].isin(flip)
    mirrored = text.copy()
    for what in ("stimulus", "source", "watched", "plays"):
        mirrored.loc[turn, f"{what}_a"] = text.loc[turn, f"{what}_b"]
        mirrored.loc[turn, f"{what}_b"] = text.loc[turn, f"{what}_a"]
    for what in ("truth", "left", "choice"):
        mirrored.loc[turn, what] = text.loc[turn, what].map({"a": "b", "b": "a", "tie": "tie"})
    return check_responses(mirrored)


def mirrored_verdicts(rows: Sequence[Mapping[str, object]], flip: set[str]) -> list[dict[str, object]]:
    """The same verdicts on the mirrored pairs; scores are probabilities."""
    found = []
    for row in rows:
        turned = dict(row)
        if row["pair"] in flip:
            choice = str(row.get("choice", ""))
            turned |= {"choice": {"a": "b", "b": "a"}.get(choice, choice)}
            if row.get("score") is not None:
                turned |= {"score": 1 - float(str(row["score"]))}
        found.append(turned)
    return found
