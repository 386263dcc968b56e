"""The water auction of a town in a drought."""

from app.tasks.game.games.wac.agents import AGENTS
from app.tasks.game.games.wac.observed import move_words, observe
from app.tasks.game.games.wac.parameters import RESIDENTS
from app.tasks.game.games.wac.presenter import WaterPresenter
from app.tasks.game.games.wac.records import decisions, record
from app.tasks.game.games.wac.rules import WaterAuction
from app.tasks.game.kit import Kit

RULES = """\
Residents of a town need water in a drought. On each day everyone alive gets the salary, sees the day's `supply`, and
makes one sealed bid in whole dollars, at most the balance. The highest bid whose need fits into what is left of the
supply wins, then the next highest that still fits, and so on; of equal bids the smaller need goes first, and a bid
that does not fit is passed over. Winners pay what they bid, gain `water_health` health (never above `most_health`),
and their next day without water costs 1 again. All others lose `next_loss` health, and the loss grows by 1 with
each further day without. Who has no health left is out. Bids, winners and how everyone stands are public after each
day. You want to be alive after the last day.
"""

WAC = Kit(
    game=WaterAuction(),
    title="Water auction (wac)",
    page=WaterPresenter(),
    rules=RULES,
    phases={"bid": "a bid"},
    round_name="Day",
    agents=AGENTS,
    fills=("health-urgency",),
    personas={resident.name.lower(): resident.persona for resident in RESIDENTS},
    record=record,
    decisions=decisions,
    observe=observe,
    move_words=move_words,
)
