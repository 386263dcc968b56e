"""The Social Ultimatum Game."""

from app.tasks.game.games.sug.agents import AGENTS, as_person
from app.tasks.game.games.sug.habits import learned
from app.tasks.game.games.sug.observed import move_words, observe
from app.tasks.game.games.sug.presenter import SugPresenter
from app.tasks.game.games.sug.records import decisions, record
from app.tasks.game.games.sug.rules import Sug
from app.tasks.game.kit import Kit

RULES = """\
In each round every player offers a part of an endowment to one other player; all do so at once, and several may
choose the same player. Then everyone accepts or rejects each offer received. An accepted offer pays the amount to
the one who accepts, and the rest of the endowment to the one who offered. A rejected offer pays neither of them.
You see the offers that you make and receive, and the answers to them; what others do among themselves is shown only
where `offers` of all are in your history. Your earnings are the sum over all rounds, and you want them high.
"""

SUG = Kit(
    game=Sug(),
    title="Social Ultimatum Game (sug)",
    page=SugPresenter(),
    rules=RULES,
    phases={"offer": "an offer", "answer": "an answer"},
    agents=AGENTS,
    fills=("adaptive",),
    learn=learned,
    as_person=as_person,
    record=record,
    decisions=decisions,
    observe=observe,
    move_words=move_words,
)
