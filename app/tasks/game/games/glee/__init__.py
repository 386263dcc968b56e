"""The three games of GLEE: bargaining, negotiation and persuasion."""

from app.tasks.game.games.glee import observed as seen
from app.tasks.game.games.glee import offer_agents, offer_records, persuasion_agents, persuasion_records
from app.tasks.game.games.glee.bargaining import Bargaining
from app.tasks.game.games.glee.bargaining_page import BargainingPresenter
from app.tasks.game.games.glee.negotiation import Negotiation
from app.tasks.game.games.glee.negotiation_page import NegotiationPresenter
from app.tasks.game.games.glee.persuasion import Persuasion
from app.tasks.game.games.glee.persuasion_page import PersuasionPresenter
from app.tasks.game.games.glee.thresholds import accepts_a_part, accepts_a_price
from app.tasks.game.kit import Kit

FAMILY = "glee"
BARGAINING_RULES = """\
Alice (seat 1) and Bob (seat 2) divide `money`. In odd rounds Alice proposes how much is hers, and the rest is
Bob's; in even rounds Bob proposes, also by naming Alice's part. The other accepts or rejects. Acceptance ends the
game. Waiting costs: what a player gets in round t is multiplied t - 1 times by that player's own discount
(`discounts`: Alice's, then Bob's; null is one that you do not know). Without an agreement by the last round both
get nothing. Where the number of rounds is not shown, it is not known to anybody. You want to earn much.
"""
NEGOTIATION_RULES = """\
The seller (seat 1) has one good that the buyer (seat 2) may buy. `values` are what it is worth to the seller and to
the buyer; null is a value that you do not know. In odd rounds the seller names a price, in even rounds the buyer.
The other accepts, rejects, or takes an outside option, a trade with somebody else at one's own value, which ends
the game and earns both nothing. Accepted, the seller earns the price less the seller's value, and the buyer the
buyer's value less the price; both can be below zero. Without a deal by the last round both earn nothing. You want
to earn much.
"""
PERSUASION_RULES = """\
In each round the seller (seat 1) has a new product for the buyer (seat 2), always at the same `price`. It is of
high quality with chance `chance_high`, and only the seller sees whether it is (`good`). The seller sends a message
or says whether to buy; then the buyer buys or does not. A sale earns the seller the price. A product of high
quality is worth `value` prices to the buyer, another one nothing, and the buyer pays the price for either. With a
`myopic` buyer each round has a new one, who sees `statistics` of past rounds and no history. You want to earn much
over all rounds.
"""

BARGAINING = Kit(
    game=Bargaining(),
    title="GLEE: bargaining",
    page=BargainingPresenter(),
    rules=BARGAINING_RULES,
    family=FAMILY,
    phases={"propose": "a proposal", "answer": "an answer"},
    agents=offer_agents.AGENTS,
    fills=("conceder:start=0.7",),
    accepts=accepts_a_part,
    record=offer_records.bargaining,
    decisions=offer_records.decisions,
    observe=seen.bargaining,
    move_words=seen.bargaining_words,
)
NEGOTIATION = Kit(
    game=Negotiation(),
    title="GLEE: negotiation",
    page=NegotiationPresenter(),
    rules=NEGOTIATION_RULES,
    family=FAMILY,
    phases={"propose": "a proposal", "answer": "an answer"},
    agents=offer_agents.AGENTS,
    fills=("conceder:start=0.7",),
    accepts=accepts_a_price,
    record=offer_records.negotiation,
    decisions=offer_records.decisions,
    observe=seen.negotiation,
    move_words=seen.negotiation_words,
)
PERSUASION = Kit(
    game=Persuasion(),
    title="GLEE: persuasion",
    page=PersuasionPresenter(),
    rules=PERSUASION_RULES,
    family=FAMILY,
    phases={"message": "a seller's message", "answer": "an answer"},
    agents=persuasion_agents.AGENTS,
    fills=("commitment:q=1/4", "bayes-buyer"),
    record=persuasion_records.record,
    decisions=persuasion_records.decisions,
    observe=seen.persuasion,
    move_words=seen.persuasion_words,
)
