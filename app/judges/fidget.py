"""A baseline: the clip with more of its unrest at the rate of people's small corrections is taken for the human one."""

from typing import ClassVar

import numpy as np

from app.judges.base import JudgeFailed, JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.judges.positions import TIME, Floats, read_positions

SAMPLE_HZ = 30
BAND_HZ = (0.5, 1.8)
SHORTEST_S = 2.0
WINDOW_S = 4.0
# Below these a rate counts as constant: what is left is the rounding of the file.
STEADY_M_PER_S = 0.02
STEADY_RAD_PER_S = 0.01


class Fidget:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="fidget",
        version="1",
        title="Small corrections of turn and speed (positions)",
        reference=(
            "Share of the power of turn rate and of speed (Welch's method [Wel67]) from 0.5 to 1.8 Hz, where people "
            "who see what their hand does put their corrections [MWS93]. More counts as human: agents steer smoothly "
            "(slower) or at once (all rates alike). The band is published for tracking, its use for players assumed."
        ),
        score_unit="difference (a less b) of the mean share of power between 0.5 and 1.8 Hz, in percentage points",
        needs=Needs.POSITIONS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(correcting, pair, scale=100)


def correcting(files: StimulusFiles) -> float:
    """The mean of two shares, of turn rate's and of speed's power, from 0 to 1; a constant rate has a share of 0."""
    track = read_positions(files, ("x_m", "y_m", "heading_rad"))
    duration_s = float(track[TIME][-1] - track[TIME][0])
    if duration_s < SHORTEST_S:
        raise JudgeFailed(files.positions, f"lasts {duration_s:.1f} s; at least {SHORTEST_S:g} s are needed")
    # Equal steps, as Welch's method needs.
    at_s = np.arange(track[TIME][0], track[TIME][-1], 1 / SAMPLE_HZ)
    x_m, y_m, heading_rad = (
        # Unwrapped first: between 3.1 and -3.1 rad an interpolation would swing round through 0.
        np.interp(at_s, track[TIME], values)
        for values in (track["x_m"], track["y_m"], np.unwrap(track["heading_rad"]))
    )
    speed = np.hypot(np.diff(x_m), np.diff(y_m)) * SAMPLE_HZ
    turn = np.diff(heading_rad) * SAMPLE_HZ
    return (share_in_band(turn, STEADY_RAD_PER_S) + share_in_band(speed, STEADY_M_PER_S)) / 2


def share_in_band(rate: Floats, steady: float) -> float:
    """The share of a rate's variance between 0.5 and 1.8 Hz; 0 where it varies by less than `steady`."""
    if float(rate.std()) < steady:
        return 0.0
    # Imported here: who lists the judges does not wait for it.
    from scipy.signal import welch

    window = min(len(rate), round(WINDOW_S * SAMPLE_HZ))
    hz, power = welch(rate, fs=SAMPLE_HZ, nperseg=window, detrend="constant")
    within = (hz >= BAND_HZ[0]) & (hz <= BAND_HZ[1])
    return float(power[within].sum() / power.sum())
