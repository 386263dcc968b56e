"""Participants who judged single stimuli: their counts, accuracy, sensitivity and criterion, one row each."""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from analysis.data.codes import Counts, Mask, codes_of
from analysis.data.judgements import COLUMNS, Judgements
from analysis.data.ordering import natural_ranks
from analysis.stats.intervals import Floats


def sensitivity(
    hits: Counts, n_signal: Counts, false_alarms: Counts, n_noise: Counts
) -> tuple[Floats, Floats]:
    """d' and criterion c of each participant, with the log-linear correction [Hau95]_; NaN without one of the classes.

    d' = z(H) - z(F) and c = -(z(H) + z(F)) / 2 [MC05]_, where H = (hits + 0.5) / (n_signal + 1) and F likewise: with
    everything right, or nothing, they are still numbers, and d' is a little nearer to 0. A positive c is a tendency
    to answer that it is noise.

    Examples
    --------
    >>> d, c = sensitivity(*(np.array([n]) for n in (20, 25, 10, 25)))
    >>> round(float(d[0]), 3), round(float(c[0]), 3)
    (1.044, -0.279)
    """
    both = (n_signal > 0) & (n_noise > 0)
    z_hit = ndtri(np.where(both, (hits + 0.5) / (n_signal + 1), np.nan))
    z_false = ndtri(np.where(both, (false_alarms + 0.5) / (n_noise + 1), np.nan))
    return z_hit - z_false, -(z_hit + z_false) / 2


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """The table in a canonical order: no result depends on that of the rows."""
    keys = [codes_of(table[name]).codes for name in COLUMNS]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)


def per_participant(
    table: pd.DataFrame, signal: Mask, said: Mask, counted: Mask, blank: Mask, judgements: Judgements
) -> pd.DataFrame:
    """One row per participant, in natural order."""
    people = codes_of(table["participant"])
    counts = {
        "n_signal": people.counts(counted & signal),
        "n_noise": people.counts(counted & ~signal),
        "hits": people.counts(counted & signal & said),
        "false_alarms": people.counts(counted & ~signal & said),
        "n_blank": people.counts(blank),
    }
    d_prime, criterion = sensitivity(
        *(counts[name] for name in ("hits", "n_signal", "false_alarms", "n_noise"))
    )
    right = counts["hits"] + counts["n_noise"] - counts["false_alarms"]
    made = pd.DataFrame(
        {
            "participant": table["participant"].cat.categories.astype("str"),
            **counts,
            "accuracy": share_of(right, counts["n_signal"] + counts["n_noise"]),
            "hit_rate": share_of(counts["hits"], counts["n_signal"]),
            "false_alarm_rate": share_of(counts["false_alarms"], counts["n_noise"]),
            "d_prime": d_prime,
            "criterion": criterion,
            "reason": _reasons(counts["n_signal"], counts["n_noise"], judgements),
        }
    )
    seen = people.counts() > 0
    made = made[seen]
    return made.iloc[np.argsort(natural_ranks(made["participant"].astype(object)))].reset_index(drop=True)


def share_of(part: Counts, whole: Counts) -> Floats:
    share: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return share


def _reasons(n_signal: Counts, n_noise: Counts, judgements: Judgements) -> list[str | None]:
    words = {
        (False, False): "no answer that counts",
        (False, True): f"no stimulus that is {judgements.signal}",
        (True, False): f"no stimulus that is {judgements.noise}",
    }
    return [words.get((one > 0, two > 0)) for one, two in zip(n_signal, n_noise, strict=True)]


def participants_of(judgements: Judgements) -> pd.DataFrame:
    """The same rows from all answers that count."""
    table = in_order(judgements.table)
    known, given = (table[name].notna().to_numpy() for name in ("truth", "answer"))
    signal, said = ((table[name] == judgements.signal).to_numpy() for name in ("truth", "answer"))
    return per_participant(table, signal, said, known & given, known & ~given, judgements)
