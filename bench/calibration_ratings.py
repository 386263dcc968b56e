"""Cases of the calibration bench: the interval of a mean rating, for other items and other raters."""

import numpy as np

from analysis.ratings.interval import mean_interval
from bench.calibration_case import Case, Hit, Simulate, holds, interval

# Standard deviations of items, of raters and of what is left, of scores on 5 points about the middle.
DESIGNS = {"alike": (0.6, 0.5, 0.8), "strict": (0.3, 0.8, 0.5)}
SIZES = ((3, 3), (5, 5), (8, 8), (30, 3), (30, 5), (3, 30), (10, 10))
MIDDLE, MOST = 3.0, 500


def _mean(n_items: int, n_raters: int, sds: tuple[float, float, float]) -> Simulate:
    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        items, raters = rng.normal(0, sds[0], n_items), rng.normal(0, sds[1], n_raters)
        item, rater = np.divmod(np.arange(n_items * n_raters), n_raters)
        scores = np.clip(
            np.round(MIDDLE + items[item] + raters[rater] + rng.normal(0, sds[2], len(item))), 1, 5
        )
        return [holds(mean_interval(item, rater, scores, seed=seed, resamples=1_000), MIDDLE)]

    return simulate


CASES: tuple[Case, ...] = tuple(
    Case(
        f"rating-{name}-{n_items}x{n_raters}",
        f"{n_items} items, {n_raters} raters, all scores on 5 points; SDs {sds[0]} (items), {sds[1]} (raters), "
        f"{sds[2]} (rest)",
        (interval("mean rating"),),
        _mean(n_items, n_raters, sds),
        MOST,
    )
    for name, sds in DESIGNS.items()
    for n_items, n_raters in SIZES
)
