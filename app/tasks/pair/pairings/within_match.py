"""Two seats of one match: the same partners and the same history, but two records that depend on each other."""

from app.tasks.pair.pairings.base import Pairing

PAIRING = Pairing(
    name="within-match",
    title="Records: two seats of one match",
    description="two seats of one match, in equal roles: they met the same partners, and depend on each other",
    agree=("game", "match", "role", "rounds", "text"),
    differ=("seat",),
    without=("decision",),
)
