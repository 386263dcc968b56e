import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from app.library.clips.timing import at_constant_rate

times = st.lists(st.integers(0, 3000), min_size=1, max_size=60, unique=True).map(sorted)


def run(times_ms: list[int], fps: int, count: int) -> list[int]:
    frames = [(Fraction(time, 1000), time) for time in times_ms]
    return list(at_constant_rate(frames, Fraction(fps), count))


def test_a_video_of_the_rate_wanted_keeps_each_frame_once() -> None:
    exact = [(Fraction(number, 30), number) for number in range(90)]
    assert list(at_constant_rate(exact, Fraction(30), 90)) == list(range(90))


def test_times_rounded_to_milliseconds_neither_drop_nor_double_a_frame() -> None:
    rounded = [round(number * 1000 / 30) for number in range(90)]
    assert run(rounded, 30, 90) == rounded


def test_half_the_rate_takes_every_other_frame_and_double_shows_each_twice() -> None:
    source = list(range(0, 1000, 100))
    assert run(source, 5, 5) == [0, 200, 400, 600, 800]
    assert run(source, 20, 20) == [time for time in source for _ in range(2)]


def test_a_frame_stands_until_the_next_begins() -> None:
    assert run([0, 100, 700], 10, 10) == [0] + [100] * 6 + [700] * 3


def test_frames_before_the_first_moment_count_as_begun() -> None:
    frames = [(Fraction(time, 10), time) for time in range(-5, 5)]
    assert list(at_constant_rate(frames, Fraction(10), 3)) == [0, 1, 2]
    assert list(at_constant_rate([(Fraction(-9), 7)], Fraction(10), 3)) == [7, 7, 7]


def test_no_frames_give_none() -> None:
    assert run([], 30, 10) == []


@settings(deadline=None)  # the machine may be busy
@given(times, st.integers(1, 60), st.integers(1, 100))
def test_each_moment_shows_the_last_frame_begun_or_the_first_of_all(
    source: list[int], fps: int, count: int
) -> None:
    shown = run(source, fps, count)
    assert len(shown) == count
    for slot, time in enumerate(shown):
        begun = [each for each in source if math.floor(Fraction(each * fps, 1000) + Fraction(1, 2)) <= slot]
        assert time == (begun[-1] if begun else source[0])
