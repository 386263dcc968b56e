"""Made-up answers in the columns of an export: a script of analysis is tried before the data come in."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from analysis.data.columns import RESPONSE_COLUMNS, names
from analysis.errors import AnalysisError
from analysis.planning.asked import PAIR_SD, PARTICIPANT_SD
from analysis.planning.world import mean_for

_POINTS = 5  # of the uncertainty, in the published direction: 1 is extremely certain


def simulated_responses(
    *,
    study: str = "simulated",
    accuracy: float = 0.8,
    participants: int = 30,
    pairs: int = 12,
    condition: str = "human-hybrid",
    participant_sd: float = PARTICIPANT_SD,
    pair_sd: float = PAIR_SD,
    seed: int = 1,
) -> pd.DataFrame:
    """Draw the answers of a study in which every participant sees every pair once.

    The model is that of `plan`: the log odds of a right answer are a mean, plus the participant's effect, plus the
    pair's, both normal. Uncertainty falls with the distance of the log odds from 0. Every row is of the mode
    ``simulated``.

    Parameters
    ----------
    study, condition
        Names in the table. The condition is two sources, such as ``human-hybrid``; the first is the true one.
        Participants are called after the study, so those of two studies are different people.
    accuracy
        The share of right answers over all people and pairs, between 0 and 1.
    participants, pairs
        How many of each. Each pair's clip of the true source is its member a, and left in half of a participant's
        trials.
    participant_sd, pair_sd
        Standard deviations in log odds.
    seed
        Equal seeds give equal answers.

    Returns
    -------
    DataFrame
        The columns of `RESPONSE_COLUMNS`; those that only a browser or the service can know are empty.

    Raises
    ------
    AnalysisError
        If a share is not between 0 and 1, a number is below 1 or a condition does not name two sources.

    Examples
    --------
    >>> answers = simulated_responses(accuracy=0.84, participants=20, pairs=6)
    >>> len(answers), answers["mode"].unique().tolist()
    (120, ['simulated'])
    """
    true, _, other = condition.partition("-")
    if not 0 < accuracy < 1:
        raise AnalysisError(f"accuracy: {accuracy} is not allowed; allowed: between 0 and 1, both excluded")
    if min(participants, pairs) < 1:
        raise AnalysisError("participants, pairs: at least 1 of each")
    if min(participant_sd, pair_sd) < 0:
        raise AnalysisError("participant_sd, pair_sd: 0 or more")
    if not (true and other):
        raise AnalysisError(f"condition: {condition!r} is not allowed; allowed: two sources, as human-hybrid")
    rng = np.random.default_rng(seed)
    people = participant_sd * rng.standard_normal((participants, 1))
    shown = pair_sd * rng.standard_normal(pairs)
    odds = mean_for(accuracy, float(np.hypot(participant_sd, pair_sd))) + people + shown
    is_right = rng.random((participants, pairs)) < expit(odds)
    order = rng.permuted(np.tile(np.arange(pairs), (participants, 1)), axis=1)
    is_left = rng.permuted(np.tile(np.arange(pairs) % 2 == 0, (participants, 1)), axis=1)
    person, place = (cells.ravel() for cells in np.indices((participants, pairs)))
    pair = order[person, place]
    who, what = _numbered(f"{study}-p", participants)[person], _numbered(f"{condition}-", pairs)[pair]
    clip = np.array([name.rpartition("-")[2] for name in what])
    choice = np.where(is_right[person, pair], "a", "b")
    given = {
        "study": study,
        "version": 1,
        "arm": "main",
        "mode": "simulated",
        "participant": who,
        "session": who,
        "position": place + 1,
        "trial": place + 1,
        "pair": what,
        "condition": condition,
        "kind": "main",
        "stimulus_a": [f"{true}-{number}" for number in clip],
        "stimulus_b": [f"{other}-{number}" for number in clip],
        "source_a": true,
        "source_b": other,
        "truth": "a",
        "left": np.where(is_left[person, place], "a", "b"),
        "choice": choice,
        "chosen_source": np.where(choice == "a", true, other),
        "correct": np.where(choice == "a", "true", "false"),
        "uncertainty": _uncertainty(odds[person, pair], rng),
    }
    table = pd.DataFrame(given).astype(str)
    return table.reindex(columns=list(names(RESPONSE_COLUMNS)), fill_value="")


def _numbered(prefix: str, n: int) -> npt.NDArray[np.str_]:
    digits = max(2, len(str(n)))
    return np.array([f"{prefix}{number:0{digits}}" for number in range(1, n + 1)])


def _uncertainty(odds: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    drawn = (_POINTS + 1) / 2 + 1 - np.abs(odds) + rng.standard_normal(odds.shape)
    return np.clip(np.rint(drawn), 1, _POINTS).astype(np.int64)
