"""Small tables of responses, made in the test that needs them."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from analysis import RESPONSE_COLUMNS, Analysis, analyze, check_responses, hntt_responses, read_hntt
from analysis.data.columns import names

GOLD = Path(__file__).parent / "gold"
HNTT = GOLD / "hntt_trials.csv"
COLUMNS = names(RESPONSE_COLUMNS)

Row = Mapping[str, str]


def answer(**cells: str) -> dict[str, str]:
    """One row of `responses` as text: a correct main answer unless `cells` say otherwise."""
    row = dict.fromkeys(COLUMNS, "")
    participant, pair = cells.get("participant", "p1"), cells.get("pair", "q1")
    row |= {
        "study": "s",
        "version": "1",
        "arm": "main",
        "mode": "live",
        "participant": participant,
        "session": participant,
        "position": "1",
        "trial": pair,
        "pair": pair,
        "condition": "human-hybrid",
        "kind": "main",
        "stimulus_a": f"{pair}-a",
        "stimulus_b": f"{pair}-b",
        "source_a": "human",
        "source_b": "hybrid",
        "truth": "a",
        "left": "a",
        "choice": "a",
        "uncertainty": "2",
    }
    return row | cells


def person(participant: str, choices: str, **cells: str) -> list[dict[str, str]]:
    """One answer per letter of `choices` (`-` is a blank, `=` no difference), to pairs q1, q2, ..."""
    said = {"-": "", "=": "tie"}
    return [
        answer(participant=participant, pair=f"q{number}", choice=said.get(choice, choice), **cells)
        for number, choice in enumerate(choices, start=1)
    ]


def table(*rows: Row) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS), dtype="str")


def checked(*rows: Row) -> pd.DataFrame:
    return check_responses(table(*rows))


def hntt_rows() -> list[dict[str, str]]:
    """The gold answers as plain text rows."""
    with HNTT.open(newline="") as file:
        return list(csv.DictReader(file))


@cache
def published(resamples: int = 10_000) -> Analysis:
    """The analysis of the published answers, made once in a process; nobody changes it."""
    return analyze(hntt_responses(read_hntt(HNTT)), resamples=resamples)


def write_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
