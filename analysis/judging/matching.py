"""Verdicts brought to the pairs they speak of; what speaks of nothing known is counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from analysis.errors import AnalysisError
from analysis.files.faults import note
from analysis.files.lookalikes import lookalikes
from analysis.judging.pairs import Bools, Ints, Pairs, compressed
from analysis.natural import natural
from analysis.results import Result
from analysis.stats.intervals import Floats

About = Literal["pairs", "clips"]
Scores = Literal["probabilities", "support", "clips", "none"]

MISSING, ABSTAINED, JUDGED = 0, 1, 2

_UNKNOWN, _NOT_MAIN, _CHANGED = -1, -2, -3
_LISTED = 10
# ASCII's unit separator: with a dash, a-b and c would be the same key as a and b-c.
_BETWEEN = "\x1f"
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class RunCounts(Result):
    """The outcome of one run's verdicts.

    Of the `n_pairs` known pairs it judged `n_judged` (`n_tied` of them as a tie), abstained on `n_abstained` and has no
    row for `n_missing`. Of its `n_rows` rows, `n_unknown` name nothing known (the first ten are listed), `n_not_main` a
    practice or attention trial's pair or clip, or one of another mode, and `n_changed` a pair whose clips the study
    changed between versions, so that its name is not enough.
    """

    run: str
    n_rows: int
    n_pairs: int
    n_judged: int
    n_tied: int
    n_abstained: int
    n_missing: int
    n_unknown: int
    n_not_main: int
    n_changed: int
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run's verdicts on every pair, NaN if there is none.

    `support` is 1 for the first member, 0 for the second, 0.5 for a tie; `score` grows with support for the first
    member (a probability in [0, 1], any number else; the choice if the judge gives no scores); `clip` and `other_clip`
    are the scores of the first and of the second clip alone, if the judge scores clips.
    """

    counts: RunCounts
    status: Ints
    support: Floats
    score: Floats
    clip: Floats
    other_clip: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """All runs of one judge. `middle` is the score that favours neither member."""

    judge: str
    about: About
    scores: Scores
    runs: tuple[Run, ...]

    @property
    def judged(self) -> Bools:
        """The pairs with a verdict in some run."""
        judged: Bools = np.logical_or.reduce([run.status == JUDGED for run in self.runs])
        return judged

    def mirrored(self, score: Floats) -> Floats:
        """The scores as support for the second member."""
        return _mirrored(score, self.scores)


def match(verdicts: pd.DataFrame, pairs: Pairs, responses: pd.DataFrame) -> tuple[Judged, ...]:
    """Bring checked verdicts to the pairs, one `Judged` per judge, sorted by name.

    `responses` are all checked responses, also those that do not count: a verdict about one of their
    attention pairs is distinguished from one about nothing known.

    Raises
    ------
    AnalysisError
        If a verdict without a study names a pair that several studies have.
    """
    known = _Known(verdicts, pairs, responses)
    return tuple(_judged(name, rows, known, pairs) for name, rows in _split(verdicts, "judge"))


def _mirrored(score: Floats, scores: Scores) -> Floats:
    # Rounded: 1 - 0.9 and 0.1 are the same support, and ranks would tell their floats apart.
    turned: Floats = np.round(1 - score, 12) if scores in ("probabilities", "none") else -score
    return turned


def _split(table: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    names = table[column].astype(object).fillna("")
    for name in sorted(set(names), key=lambda text: natural(str(text))):
        yield str(name), table[(names == name).to_numpy()]


class _Known:
    """The names of pairs and clips, looked up for all verdicts at once."""

    def __init__(self, verdicts: pd.DataFrame, pairs: Pairs, responses: pd.DataFrame) -> None:
        table = pairs.table
        self._pairs = pairs
        self._by_pair = _index(table["study"] + _BETWEEN + table["pair"], pairs)
        self._by_name = _index(table["pair"], pairs)
        clips = pd.concat([table["stimulus_first"], table["stimulus_second"]])
        studies = pd.concat([table["study"], table["study"]])
        self._clips = set(clips) | set(studies + _BETWEEN + clips)
        self._refuse_shared_names(verdicts)
        self._others = _names_of(responses, "pair") | _names_of(responses, "stimulus_a")
        self._others |= _names_of(responses, "stimulus_b")
        self._note_lookalikes(verdicts, "pair", set(table["pair"]))
        self._note_lookalikes(verdicts, "stimulus", set(clips))

    def _note_lookalikes(self, verdicts: pd.DataFrame, column: str, known: set[str]) -> None:
        """Note names that the study does not have and that look like one of its own."""
        given = set(verdicts[column].dropna().astype(str)) - known - self._others
        for one in lookalikes([*sorted(given), *sorted(known)] if given else ()):
            if given & set(one.texts) and known & set(one.texts):
                note(f"column {column} of the verdicts, and of the study: {one}. They count as different")

    def _refuse_shared_names(self, verdicts: pd.DataFrame) -> None:
        distinct = self._pairs.table[["study", "pair"]].drop_duplicates()
        shared = distinct[distinct.duplicated("pair", keep=False)]
        unnamed = verdicts.loc[verdicts["study"].isna() & verdicts["pair"].notna(), "pair"].astype(object)
        doubtful = unnamed[unnamed.isin(shared["pair"])]
        if len(doubtful):
            name = doubtful.iloc[0]
            studies = sorted(shared.loc[shared["pair"] == name, "study"])
            raise AnalysisError(
                f"the verdicts name the pair {name!r}, which is in the studies {studies[0]!r} and {studies[1]!r}: "
                "add a column study"
            )

    def pair_of(self, keys: pd.Series, with_study: pd.Series) -> Ints:
        """The pair of each key; below 0 where there is none that it names."""
        found = np.where(with_study, self._look(self._by_pair, keys), self._look(self._by_name, keys))
        return np.where((found == _UNKNOWN) & keys.isin(self._others).to_numpy(), _NOT_MAIN, found)

    def clip_of(self, keys: pd.Series) -> Ints:
        """0 for the clip of some pair, below 0 for others."""
        other = np.where(keys.isin(self._others), _NOT_MAIN, _UNKNOWN)
        return np.where(keys.isin(self._clips), 0, other)

    @staticmethod
    def _look(index: pd.Series, keys: pd.Series) -> Ints:
        found: Ints = index.reindex(keys).fillna(_UNKNOWN).to_numpy(dtype=np.int64)
        return found


def _index(names: pd.Series, pairs: Pairs) -> pd.Series:
    codes = np.where(pairs.changed, _CHANGED, np.arange(len(pairs)))
    return pd.Series(codes, index=names)[~names.duplicated().to_numpy()]


def _names_of(responses: pd.DataFrame, column: str) -> set[str]:
    """Every name in the responses, alone and behind its study."""
    studies, names = responses["study"].cat, responses[column].cat
    there = names.codes.to_numpy() >= 0
    key = (
        studies.codes.to_numpy()[there].astype(np.int64) * len(names.categories)
        + names.codes.to_numpy()[there]
    )
    study, name = np.divmod(key[compressed(key)[1]], max(len(names.categories), 1))
    alone = names.categories.to_numpy()[name].astype(str)
    return {*alone, *(f"{a}{_BETWEEN}{b}" for a, b in zip(studies.categories[study], alone, strict=True))}


def _judged(name: str, rows: pd.DataFrame, known: _Known, pairs: Pairs) -> Judged:
    about: About = "pairs" if rows["pair"].notna().any() else "clips"
    scores: Scores = "clips"
    if about == "pairs":
        given = rows["score"].notna().any()
        scores = ("probabilities" if rows["probability"].any() else "support") if given else "none"
    take = _take_pairs if about == "pairs" else _take_clips
    runs = tuple(take(run, part, known, pairs, scores) for run, part in _split(rows, "run"))
    return Judged(name, about, scores, runs)


def _keys(rows: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    with_study = rows["study"].notna()
    names = rows[column].astype(object)
    return names.where(~with_study, rows["study"].astype(object) + _BETWEEN + names), with_study


def _take_pairs(run: str, rows: pd.DataFrame, known: _Known, pairs: Pairs, scores: Scores) -> Run:
    keys, with_study = _keys(rows, "pair")
    found = known.pair_of(keys, with_study)
    here = found >= 0
    at = found[here]
    _refuse_twice(rows, found, run)
    flipped = pairs.table["flipped"].to_numpy()
    choice = rows["choice"].cat.codes.to_numpy()[here]
    status = np.full(len(pairs), MISSING)
    status[at] = np.where(choice >= 0, JUDGED, ABSTAINED)
    of_a = _filled(len(pairs), at, np.array([1.0, 0.0, _EVEN, np.nan])[choice])
    support = np.where(flipped, 1 - of_a, of_a)
    given = _filled(len(pairs), at, rows["score"].to_numpy()[here])
    if scores == "probabilities":
        given = np.round(given, 12)
    # Rounded as its mirror image is: 0.1 and 1 - 0.9 have to be one float.
    score = support if scores == "none" else np.where(flipped, _mirrored(given, scores), given)
    nowhere = np.full(len(pairs), np.nan)
    return Run(_counted(run, rows["pair"], found, status, support), status, support, score, nowhere, nowhere)


def _refuse_twice(rows: pd.DataFrame, found: Ints, run: str) -> None:
    """Two rows of a run on one pair, one of them with the study and one without."""
    again = pd.Series(found).duplicated().to_numpy() & (found >= 0)
    if again.any():
        row = rows.iloc[int(again.argmax())]
        which = f"{row['judge']}, run {run}" if run else row["judge"]
        raise AnalysisError(
            f"the verdicts name the pair {row['pair']!r} twice, with and without its study ({which})"
        )


def _take_clips(run: str, rows: pd.DataFrame, known: _Known, pairs: Pairs, _scores: Scores) -> Run:
    keys, _ = _keys(rows, "stimulus")
    scores = pd.Series(rows["score"].to_numpy(), index=keys)
    first, first_row = _clip_scores(scores, pairs, "stimulus_first")
    second, second_row = _clip_scores(scores, pairs, "stimulus_second")
    score = first - second
    judged = ~np.isnan(score)
    status = np.select([judged, first_row & second_row], [JUDGED, ABSTAINED], MISSING)
    support = np.where(judged, (np.sign(np.where(judged, score, 0.0)) + 1) / 2, np.nan)
    counts = _counted(run, rows["stimulus"], known.clip_of(keys), status, support)
    alone = (np.where(judged, one, np.nan) for one in (first, second))
    return Run(counts, status, support, score, *alone)


def _clip_scores(scores: pd.Series, pairs: Pairs, column: str) -> tuple[Floats, Bools]:
    """The score of each pair's clip, and whether there is a row for it; one for the study goes before a
    general one."""
    named = pairs.table[column]
    special = pairs.table["study"] + _BETWEEN + named
    is_special = special.isin(scores.index).to_numpy()
    key = named.where(~is_special, special)
    found: Floats = scores.reindex(key).to_numpy(dtype=float)
    return found, key.isin(scores.index).to_numpy()


def _filled(n: int, at: Ints, values: Floats) -> Floats:
    filled = np.full(n, np.nan)
    filled[at] = values
    return filled


def _counted(run: str, names: pd.Series, found: Ints, status: Ints, support: Floats) -> RunCounts:
    unknown = sorted(set(names[found == _UNKNOWN].astype(str)), key=natural)
    return RunCounts(
        run=run,
        n_rows=len(names),
        n_pairs=len(status),
        n_judged=int((status == JUDGED).sum()),
        n_tied=int((support == _EVEN).sum()),
        n_abstained=int((status == ABSTAINED).sum()),
        n_missing=int((status == MISSING).sum()),
        n_unknown=int((found == _UNKNOWN).sum()),
        n_not_main=int((found == _NOT_MAIN).sum()),
        n_changed=int((found == _CHANGED).sum()),
        unknown=tuple(unknown[:_LISTED]),
    )
