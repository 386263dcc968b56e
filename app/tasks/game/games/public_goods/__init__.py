"""The public-goods game with punishment, for groups of 2 to 8."""

from app.tasks.game.games.public_goods.agents import AGENTS
from app.tasks.game.games.public_goods.observed import move_words, observe
from app.tasks.game.games.public_goods.page import PublicGoodsPresenter
from app.tasks.game.games.public_goods.records import decisions, record
from app.tasks.game.games.public_goods.rules import PublicGoods
from app.tasks.game.kit import Kit

RULES = """\
A group of `players` members plays several rounds. In each round everybody has `endowment` points and contributes from
none to all of them to a common project, all at once. A contribution is lost to the one who makes it, and each point in
the project pays every member `mpcr` points, whoever contributed it. Then all see the contributions of all. Where
`punishment` is `none`, the round is over. Else everybody may give each other member 0 to 10 deduction points, all at
once. Where it is `fixed`, a point costs the giver 1 and takes `effect` points from the other. Where it is `tenths`,
a point takes a tenth of what the round has paid the other, at most all of it, and 0 to 10 points to one member cost
the giver 0, 1, 2, 4, 6, 9, 12, 16, 20, 25 or 30. Members learn how many points they were given, and not by whom.
You want to earn much over all rounds.
"""

PUBLIC_GOODS = Kit(
    game=PublicGoods(),
    title="Public goods with punishment",
    page=PublicGoodsPresenter(),
    rules=RULES,
    phases={"contribute": "a contribution", "deduct": "deduction points"},
    agents=AGENTS,
    fills=("conditional-cooperator",),
    record=record,
    decisions=decisions,
    observe=observe,
    move_words=move_words,
)
