"""One decision point: the same standing offer and the same summary of what went before, in two matches."""

from app.tasks.pair.pairings.base import Pairing

PAIRING = Pairing(
    name="same-situation",
    title="Records: one decision in the same situation",
    description="one decision with the same standing offer and history, of two matches "
    "(records of one decision each)",
    agree=("game", "config", "role", "situation", "text"),
    differ=("match",),
)
