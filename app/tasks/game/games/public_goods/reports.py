"""Signatures of play in the public-goods game."""

from collections.abc import Iterator, Sequence

from analysis.signatures import Act
from analysis.signatures.play_signature import Given, PlaySignature, changes_of, shares_of
from app.tasks.game.games.public_goods.rules import MOST_POINTS
from app.tasks.game.match_files import SeatPlayed
from app.tasks.game.reporting import NOTHING, QUARTERS, GameReports, decided

GAME = "public-goods"
_ENDOWMENT = "shares of the endowment"
CONTRIBUTION, CHANGE, POINTS = (
    f"public-goods-{name}"
    for name in ("contribution-given-others", "change-given-points", "points-given-difference")
)
SIGNATURES = (
    shares_of(
        CONTRIBUTION,
        GAME,
        "Contribution, given what the others contributed on average in the round before",
        _ENDOWMENT,
        Given("the others' mean in the round before, of the endowment", QUARTERS),
    ),
    changes_of(
        CHANGE,
        GAME,
        "Change of the contribution, given the points got in the round before",
        _ENDOWMENT,
        Given("deduction points got in the round before", (0.5, 2.5, 5.5)),
    ),
    shares_of(
        POINTS,
        GAME,
        "Points given, given how much more the other contributed",
        "shares of the most points",
        Given(
            "the other's contribution less one's own, of the endowment", (-0.75, -0.5, -0.25, -0.001, 0.001)
        ),
    ),
)


class PublicGoodsReports(GameReports):
    """Counts members' actions given the others' actions, and the recipients of their points."""

    def signatures(self, seats: Sequence[SeatPlayed]) -> Sequence[PlaySignature]:
        return SIGNATURES

    def acts(self, one: SeatPlayed) -> Iterator[Act]:
        at = one.seat - 1
        for state, event in decided(one):
            whole, last = state.config.endowment, state.past[-1] if state.past else None
            if state.phase == "deduct":
                for other, made in enumerate(state.contributions):
                    if other != at:
                        points = event.move[f"points_{other + 1}"] / MOST_POINTS
                        yield Act(POINTS, ((made - state.contributions[at]) / whole,), points)
                continue
            share = event.move["amount"] / whole
            if last is None:
                yield Act(CONTRIBUTION, (NOTHING,), share)
                continue
            own = last.contributions[at]
            others = (sum(last.contributions) - own) / (len(last.contributions) - 1)
            yield Act(CONTRIBUTION, (others / whole,), share)
            got = float(sum(given[at] for given in last.points))
            yield Act(CHANGE, (got,), share - own / whole)


REPORTS = PublicGoodsReports()
