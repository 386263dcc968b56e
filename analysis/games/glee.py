"""Self-gain, efficiency and fairness of GLEE's three families of games.

Each measure as the paper [SMR24] defines it (`corrected`) and as its released scripts compute it (`as_published`). They
differ for bargaining without a deal, for the efficiency of a sale outside both values, and for the buyer's gain in
persuasion.
Money is divided by the money at stake M, so that matches of different M compare.
"""

from dataclasses import dataclass
from typing import Literal

from analysis.errors import AnalysisError
from analysis.results import Result

Definition = Literal["as_published", "corrected"]


@dataclass(frozen=True, slots=True)
class GleeScores(Result):
    """One match: `alice` and `bob` are self-gains in shares of M (of the price for persuasion, per round).

    Efficiency is at most 1 unless noted; fairness is 1 at an equal split and can be negative in negotiation. None where
    it is undefined: efficiency of a persuasion without good rounds, fairness of one without bad rounds.
    """

    alice: float
    bob: float
    efficiency: float | None
    fairness: float | None


def bargaining_scores(
    share: float | None, round_: int, discounts: tuple[float, float], definition: Definition = "corrected"
) -> GleeScores:
    """Bargaining that ended in `round_` (from 1), with Alice's undiscounted `share`, 0..1, or None without a deal.

    `discounts` are Alice's and Bob's factors for each round. Without a deal the paper says gains 0, efficiency 0 and
    fairness 1; the released script pays Bob everything, discounted, and says fairness 0.
    Raises AnalysisError for a share outside 0..1.
    """
    if share is None:
        if definition == "corrected":
            return GleeScores(0.0, 0.0, 0.0, 1.0)
        share = 0.0
    if not 0 <= share <= 1:
        raise AnalysisError(f"Alice's share is {share}: a share lies between 0 and 1")
    alice, bob = share * discounts[0] ** (round_ - 1), (1 - share) * discounts[1] ** (round_ - 1)
    return GleeScores(alice, bob, alice + bob, 1 - 4 * (share - 0.5) ** 2)


def negotiation_scores(
    price: float | None, values: tuple[float, float], money: float, definition: Definition = "corrected"
) -> GleeScores:
    """Scores of a negotiation that ended with a sale at `price`, or None without a sale.

    `values` are the good's values to the seller (Alice) and to the buyer (Bob), in the unit of `money`. The paper calls
    a sale efficient at a price between the values, the released script at any price if the buyer values the good more,
    and both call equal values efficient either way.
    """
    seller, buyer = values
    if definition == "as_published":
        efficient = seller == buyer or (price is not None) == (buyer > seller)
    elif price is None:
        efficient = seller >= buyer
    else:
        efficient = seller <= price <= buyer
    if price is None:
        return GleeScores(0.0, 0.0, float(efficient), 1.0)
    fairness = 1 - 4 * ((price - (seller + buyer) / 2) / money) ** 2
    return GleeScores((price - seller) / money, (buyer - price) / money, float(efficient), fairness)


def persuasion_scores(
    rounds: int, good: int, bought: tuple[int, int], value: float, definition: Definition = "corrected"
) -> GleeScores:
    """Persuasion over `rounds`, of which `good` had a good product; `bought` counts the good and the bad bought.

    `value` is that of a good product in prices (v). The printed table's buyer gains are those of a script in which the
    values of good and bad products were exchanged: [(T - r)(v - 1) - k] / T, with k good products bought and r bad ones
    not bought. The paper's definition is [k(v - 1) - bad products bought] / T.
    Raises AnalysisError for counts that cannot be.
    """
    k, bad_bought = bought
    bad = rounds - good
    if not (rounds > 0 and 0 <= k <= good and 0 <= bad_bought <= bad):
        raise AnalysisError(f"{k} of {good} good and {bad_bought} of {bad} bad products bought: not possible")
    passed = bad - bad_bought
    buyer = k * (value - 1) - bad_bought
    if definition == "as_published":
        buyer = (rounds - passed) * (value - 1) - k
    return GleeScores(
        (k + bad_bought) / rounds, buyer / rounds, k / good if good else None, passed / bad if bad else None
    )
