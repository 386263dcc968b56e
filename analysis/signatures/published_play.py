"""The signatures of play of the published games: `sug`, `wac`, and GLEE's three.

Other games bring their own (docs/new-game.md).
"""

from analysis.signatures.play_signature import TENTHS, Given, PlaySignature, changes_of, shares_of, yes_no_of

_SEAT = Given("which of the two seats it has: 0, 1", (0.5,))
_ENDOWMENT, _MONEY, _BALANCE = "shares of the endowment", "shares of the money", "shares of the balance"

PLAY_SIGNATURES: tuple[PlaySignature, ...] = (
    shares_of(
        "sug-offer-given-received",
        "sug",
        "Amount offered, given the last offer received from that partner",
        _ENDOWMENT,
        Given("the partner's last offer, of the endowment", (0.25, 0.45, 0.55)),
    ),
    changes_of(
        "sug-change-given-answer",
        "sug",
        "Change of the offer to a partner, given its last answer",
        _ENDOWMENT,
        Given("whether the partner accepted the last offer to it: 0, 1", (0.5,)),
    ),
    yes_no_of(
        "sug-answer-given-offer",
        "sug",
        "Offer accepted, given its amount",
        "share of answers",
        Given("the offer, of the endowment", TENTHS),
    ),
    PlaySignature(
        "sug-recipient-given-proposers",
        "sug",
        "Whom it proposes to, given how many had proposed to it",
        "share of proposals",
        (Given("how many proposed to it in the round before", (0.5, 1.5)),),
        0.0,
        1.0,
        3,
        is_ordered=False,
    ),
    shares_of(
        "wac-bid-given-health",
        "wac",
        "Bid, given one's own health",
        _BALANCE,
        Given("health, of the most", (0.25, 0.5, 0.75)),
        roles_differ=True,
    ),
    shares_of(
        "wac-bid-given-drought",
        "wac",
        "Bid, given one's days without water",
        _BALANCE,
        Given("days without water since the last", (0.5, 1.5, 2.5)),
        roles_differ=True,
    ),
    shares_of(
        "wac-bid-given-supply",
        "wac",
        "Bid, given the day's supply",
        _BALANCE,
        Given("supply, in one's own needs", (1.0, 1.5, 2.0, 2.5)),
        roles_differ=True,
    ),
    changes_of(
        "bargaining-change-given-offer",
        "glee-bargaining",
        "Change of the demand, given the other's last offer",
        _MONEY,
        _SEAT,
        Given("what the other's last offer leaves one, of the money", (0.3, 0.45, 0.55)),
    ),
    yes_no_of(
        "bargaining-answer-given-offer",
        "glee-bargaining",
        "Offer accepted, given what it leaves one",
        "share of answers",
        _SEAT,
        Given("what the offer leaves one, of the money", TENTHS),
    ),
    changes_of(
        "negotiation-change-given-offer",
        "glee-negotiation",
        "Change of the demand, given the other's last price",
        _MONEY,
        _SEAT,
        Given("the gain that the other's last price leaves one, of the money", (0.0, 0.1, 0.2)),
    ),
    PlaySignature(
        "negotiation-answer-given-price",
        "glee-negotiation",
        "Answer to a price, given what it leaves one",
        "share of answers",
        (_SEAT, Given("the gain that the price leaves one, of the money", (0.0, 0.1, 0.2))),
        0.0,
        1.0,
        3,
        is_ordered=False,
    ),
    yes_no_of(
        "persuasion-buys-given-message",
        "glee-persuasion",
        "Product bought, given the message and how honest the seller has been",
        "share of answers",
        Given("whether the seller speaks for it: 0, 1", (0.5,)),
        Given("share of the products it spoke for that were good, as far as the buyer saw", (0.5, 0.8)),
    ),
    yes_no_of(
        "persuasion-recommends-given-quality",
        "glee-persuasion",
        "Product recommended, given its quality",
        "share of messages",
        Given("whether it is good: 0, 1", (0.5,)),
    ),
)
"""Every signature of play: of `sug`, `wac`, and GLEE's bargaining, negotiation and persuasion."""
