"""A run's ratios beside those of the last release."""

from bench.answers import Level, Run
from bench.kept import compared_text, ratios_of, read_kept


def level(site: str, at_once: int, rate: float) -> Level:
    return Level(site, at_once, [Run(rate, *[1.0] * 9)])


def test_ratios_are_of_one_run_and_more_is_better() -> None:
    levels = [
        level("Likely Human", 20, 240), level("Likely Human, ratings", 20, 120), level("oTree 6", 20, 20),
    ]  # fmt: skip
    assert ratios_of(levels) == {"20 at once: ratings over pairs": 0.5, "20 at once: over oTree": 12.0}


def test_what_fell_by_more_than_15_percent_is_told_in_red() -> None:
    kept = {"a": 10.0, "b": 10.0}
    told = compared_text({"a": 8.4, "b": 8.6, "c": 1.0}, kept, coloured=True).splitlines()
    assert told == [
        "\x1b[31ma: 8.40 (kept: 10.00) REGRESSION: 16% less\x1b[0m", "b: 8.60 (kept: 10.00)", "c: 1.00 (none kept)",
    ]  # fmt: skip
    assert "\x1b" not in compared_text({"a": 8.4}, kept)


def test_ratios_of_a_release_are_kept() -> None:
    assert read_kept()["20 at once: over oTree"] > 1
