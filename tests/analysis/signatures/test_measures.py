"""Signatures and the distances between them, against worked examples and a solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from analysis.signatures.measures import (
    BINS,
    SIGNATURES,
    STEP_S,
    Counts,
    Scale,
    Signature,
    bin_of,
    circular_emd,
    scale_of,
    standing_share,
    velocity_change,
    velocity_to_aim,
)
from analysis.signatures.paths import Path, path_features

ANGLES_DEG = (0.0, 90.0, 0.0, -90.0, 18.0, 0.0, 40.0, -20.0, 0.0)
BY_NAME = {one.name: one for one in SIGNATURES}


def even(n: int, step_s: float = 0.1) -> Counts:
    """So many moments, ten a second."""
    return np.linspace(0.0, (n - 1) * step_s, n)


def turning(angles_deg: tuple[float, ...], step_m: float = 0.4) -> Path:
    """Steps of equal length whose course turns by these angles, at the published time step."""
    course = np.radians(np.concatenate(([10.0], 10.0 + np.cumsum(angles_deg))))
    x_m = np.concatenate(([0.0], np.cumsum(step_m * np.cos(course))))
    y_m = np.concatenate(([0.0], np.cumsum(step_m * np.sin(course))))
    return Path(even(len(x_m), STEP_S), x_m, y_m, np.concatenate((course, course[-1:])))


def counted(signature: Signature, path: Path, scale: Scale) -> Counts:
    found = signature.count(path, scale)
    assert found is not None
    return found


def bins(**shares: float) -> Counts:
    counts = np.zeros(BINS)
    for name, share in shares.items():
        counts[int(name[1:])] = share
    return counts


def test_the_worked_example_of_nine_angles() -> None:
    """By hand: bins 0, 5, 0, 15, 1, 0, 2, 19, 0; against all straight (1 + 2 + 5 + 5 + 1) / 9 bins, 28 degrees."""
    assert bin_of(np.radians(ANGLES_DEG)).tolist() == [0, 5, 0, 15, 1, 0, 2, 19, 0]
    path = turning(ANGLES_DEG)
    counts = velocity_change(path, scale_of([path]))
    assert np.array_equal(counts, bins(b0=4, b1=1, b2=1, b5=1, b15=1, b19=1))
    assert circular_emd(counts, bins(b0=1.0)) == pytest.approx(14 / 9)


def test_distances_on_the_circle_are_those_worked_out_by_hand() -> None:
    assert circular_emd(bins(b0=1), bins(b10=1)) == pytest.approx(10)
    assert circular_emd(bins(b19=1), bins(b1=1)) == pytest.approx(2)
    assert circular_emd(bins(b0=0.6, b1=0.2, b19=0.2), bins(b0=0.8, b2=0.1, b18=0.1)) == pytest.approx(0.4)


def solved(p: Counts, q: Counts) -> float:
    """The same distance as a transport problem, by a linear solver."""
    at = np.arange(BINS)
    cost = np.minimum(np.abs(at[:, None] - at), BINS - np.abs(at[:, None] - at))
    sends = np.kron(np.eye(BINS), np.ones(BINS))
    takes = np.kron(np.ones(BINS), np.eye(BINS))
    sums = np.concatenate([p / p.sum(), q / q.sum()])
    return float(linprog(cost.ravel(), A_eq=np.vstack([sends, takes]), b_eq=sums, bounds=(0, None)).fun)


histograms = (
    st.lists(st.integers(0, 9), min_size=BINS, max_size=BINS).filter(any).map(lambda n: np.array(n, float))
)


@given(p=histograms, q=histograms)
@settings(max_examples=15, deadline=None)
def test_the_distance_is_what_a_solver_of_transport_problems_finds(p: Counts, q: Counts) -> None:
    assert float(circular_emd(p, q)) == pytest.approx(solved(p, q), abs=1e-7)


@given(p=histograms, q=histograms, r=histograms, turn=st.integers(0, BINS - 1))
@settings(max_examples=100, deadline=None)
def test_it_is_a_distance_on_a_circle(p: Counts, q: Counts, r: Counts, turn: int) -> None:
    one = float(circular_emd(p, q))
    assert float(circular_emd(p, 3 * p)) == pytest.approx(0, abs=1e-12)
    assert one == pytest.approx(float(circular_emd(q, p)))
    assert one <= float(circular_emd(p, r)) + float(circular_emd(r, q)) + 1e-9
    assert one == pytest.approx(float(circular_emd(np.roll(p, turn), np.roll(q, turn))))
    assert 0 <= one <= 10


def test_who_stands_has_no_angle_and_is_counted() -> None:
    """By hand: of nine angles the three go that lie at the two moments of standing."""
    path = turning(ANGLES_DEG)
    still = np.array([4, 5])
    for values in (path.x_m, path.y_m):
        steps = np.diff(values)
        steps[still] = 0
        values[1:] = values[0] + np.cumsum(steps)
    scale = scale_of([path])
    assert velocity_change(path, scale).sum() == 6
    assert standing_share(path, scale) == (3, 9)


def test_frame_rates_and_places_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    course = np.cumsum(rng.normal(0, 0.25, 80))
    x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.4 * f(course)))) for f in (np.cos, np.sin))
    times = even(81, STEP_S)
    often = even(401, STEP_S / 5)
    path = Path(times, x_m, y_m)
    dense = Path(often, np.interp(often, times, x_m), np.interp(often, times, y_m))
    turned = Path(times + 7, 5 - y_m, 3 + x_m)
    scale = scale_of([path])
    for other in (dense, turned):
        assert np.array_equal(velocity_change(other, scale), velocity_change(path, scale))


def test_looking_where_one_goes_is_bin_0_and_without_a_heading_there_is_no_second_signature() -> None:
    path = turning(ANGLES_DEG)
    scale = scale_of([path])
    aim = BY_NAME["velocity-to-aim"]
    assert np.array_equal(counted(aim, path, scale), bins(b0=10))
    assert path.heading_rad is not None
    left = Path(path.t_s, path.x_m, path.y_m, path.heading_rad + np.pi / 2)
    assert np.array_equal(counted(aim, left, scale), bins(b5=10))
    assert velocity_to_aim(Path(path.t_s, path.x_m, path.y_m), scale) is None


def test_finer_signatures_are_wasserstein_distances_of_what_they_count() -> None:
    """Against SciPy, on paths whose turn rates and speeds lie in the middle of bins."""
    rng = np.random.default_rng(5)

    def path() -> tuple[Path, np.ndarray]:
        rates = 5.0 * rng.integers(-30, 30, 200)
        course = np.radians(np.concatenate(([0.0], np.cumsum(rates * 0.1))))
        x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.3 * f(course)))) for f in (np.cos, np.sin))
        return Path(even(len(x_m)), x_m, y_m), rates

    (one, rates), (other, others) = path(), path()
    scale = Scale(3.0, 3.0)
    turn = BY_NAME["turn-rate"]
    found = turn.distance(counted(turn, one, scale), counted(turn, other, scale))
    assert float(found) == pytest.approx(wasserstein_distance(rates, others), rel=1e-6)


def test_pauses_and_straight_runs_count_moments_by_the_length_of_their_run() -> None:
    """By hand: three seconds on, one still, two on: ten moments in a pause of a second, fifty in none."""
    x_m = np.concatenate([np.arange(31) * 0.3, np.full(10, 9.0), 9.0 + np.arange(1, 21) * 0.3])
    path = Path(even(61), x_m, np.zeros(61))
    scale = Scale(3.0, 3.0)
    pauses = counted(BY_NAME["pauses"], path, scale)
    assert {at: n for at, n in enumerate(pauses) if n} == {0: 50, 10: 10}
    runs = counted(BY_NAME["straight-runs"], path, scale)
    assert {at: n for at, n in enumerate(runs) if n} == {0: 11, 29: 29, 19: 19}


def test_turning_towards_the_goal_is_apart_from_turning_away() -> None:
    """Two walkers who turn alike, one with its goal on the left, one on the right, are 2 x 20 degrees/s apart."""
    course = np.radians(2.0 * np.arange(40))
    x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.3 * f(course)))) for f in (np.cos, np.sin))
    signature, scale = BY_NAME["turn-given-goal"], Scale(3.0, 3.0)

    def goal(side: float) -> Path:
        away = np.append(course, course[-1]) + side * np.radians(60)
        places = np.column_stack([x_m + 50 * np.cos(away), y_m + 50 * np.sin(away)])
        return Path(even(41), x_m, y_m, None, places)

    left, right = counted(signature, goal(1), scale), counted(signature, goal(-1), scale)
    assert float(signature.distance(left, right)) == pytest.approx(40)
    assert signature.count(Path(even(41), x_m, y_m), scale) is None


def test_features_of_a_path_that_is_known() -> None:
    """A straight line at full speed that stops for a second of ten; a circle turns at one rate."""
    x_m = np.concatenate([np.arange(51) * 0.33, np.full(10, 50 * 0.33), 50 * 0.33 + np.arange(1, 41) * 0.33])
    line = path_features(Path(even(101), x_m, np.zeros(101)), 3.3)
    assert line is not None
    assert (line.full_speed, line.slow, line.straight, line.straightness) == pytest.approx((0.9, 0.1, 1, 1))
    angle = np.linspace(0, np.pi, 101)
    circle = path_features(Path(even(101), 10 * np.cos(angle), 10 * np.sin(angle)), 10 * np.pi / 10)
    assert circle is not None
    assert circle.straightness == pytest.approx(2 / np.pi, rel=1e-3)
    assert circle.turn_sd_deg_per_s == pytest.approx(0, abs=1e-6)
    assert (circle.straight, circle.reversals_per_s) == (0, 0)


def test_turns_near_walls_are_held_apart_from_turns_in_the_open() -> None:
    """Two paths that turn alike, by a wall and far off, have nothing to be compared by; by the same wall they are
    alike, and who turns the other way there is 40 degrees/s off."""
    signature, scale = BY_NAME["turn-given-wall"], Scale(3.0, 3.0)

    def turning(turn_deg: float, wall_m: float) -> np.ndarray:
        t_s = np.arange(31) / 10
        course = np.radians(turn_deg) * np.arange(30)
        x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.3 * of(course)))) for of in (np.cos, np.sin))
        found = signature.count(Path(t_s, x_m, y_m, wall_m=np.full(31, wall_m)), scale)
        assert found is not None
        assert found.sum() == 29
        return found

    near, far, other = turning(2, 0.4), turning(2, 5.0), turning(-2, 0.4)
    assert [int(zones.sum()) for zones in near.reshape(4, -1)] == [29, 0, 0, 0]
    assert [int(zones.sum()) for zones in far.reshape(4, -1)] == [0, 0, 0, 29]
    assert signature.distance(near, near) == 0
    assert np.isnan(signature.distance(near, far))
    assert signature.distance(near, other) == pytest.approx(40)
    assert signature.count(Path(np.arange(9) / 10, np.arange(9.0), np.zeros(9)), scale) is None


def walked(speed: float, turn_deg: float, **seen: np.ndarray) -> Path:
    """Three seconds at one speed (of 3 m/s), turning by so much each tenth of a second."""
    course = np.radians(turn_deg) * np.arange(30)
    x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.3 * speed * of(course)))) for of in (np.cos, np.sin))
    return Path(np.arange(31) / 10, x_m, y_m, **seen)


def test_turns_are_held_apart_by_whether_the_goal_is_in_view() -> None:
    """Alike in view and unlike out of view: the distance is that out of view, weighted by the time there."""
    signature, scale = BY_NAME["turn-given-view"], Scale(3.0, 3.0)
    half = np.repeat([0.0, 1.0], [15, 16])
    one = signature.count(walked(1.0, 2, goal_in_view=half), scale)
    hidden = signature.count(walked(1.0, -2, goal_in_view=np.zeros(31)), scale)
    seen = signature.count(walked(1.0, 2, goal_in_view=np.ones(31)), scale)
    assert one is not None
    assert hidden is not None
    assert seen is not None
    assert [int(zone.sum()) for zone in one.reshape(2, -1)] == [15, 14]
    other = hidden / hidden.sum() * 15 + seen / seen.sum() * 14
    assert signature.distance(one, one) == 0
    assert np.isnan(signature.distance(hidden, seen))
    assert signature.distance(one, other) == pytest.approx(40 * 15 / 29)
    assert signature.count(walked(1.0, 2), scale) is None


def test_speeds_are_held_apart_by_whether_somebody_is_in_view() -> None:
    """Who walks at half speed while somebody is in view is half a full speed from who does not, there alone."""
    signature, scale = BY_NAME["speed-given-others"], Scale(3.0, 3.0)
    third = np.repeat([0.0, 1.0], [20, 11])
    fast, slow = (signature.count(walked(speed, 0, others_in_view=third), scale) for speed in (1.0, 0.5))
    assert fast is not None
    assert slow is not None
    assert [int(zone.sum()) for zone in fast.reshape(2, -1)] == [20, 10]
    assert signature.distance(fast, slow) == pytest.approx(0.5)
    wary = np.concatenate([fast.reshape(2, -1)[0], slow.reshape(2, -1)[1]])
    assert signature.distance(fast, wary) == pytest.approx(0.5 * 10 / 30)
    assert signature.count(walked(1.0, 0), scale) is None


def test_what_was_in_view_holds_until_the_next_position() -> None:
    """Ten positions a second read at four: nothing in between is made up."""
    path = walked(1.0, 0, goal_in_view=np.repeat([1.0, 0.0], [16, 15]))
    seen = path.resampled(0.25).goal_in_view
    assert seen is not None
    assert seen.tolist() == [1.0] * 7 + [0.0] * 6
