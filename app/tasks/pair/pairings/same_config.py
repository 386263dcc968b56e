"""One configuration and role, two matches: two records that do not depend on each other."""

from app.tasks.pair.pairings.base import Pairing

PAIRING = Pairing(
    name="same-config",
    title="Records: one configuration and role, two matches",
    description="one game, configuration and role, as many rounds shown, of two matches",
    agree=("game", "config", "role", "rounds", "text"),
    differ=("match",),
    without=("decision",),
)
