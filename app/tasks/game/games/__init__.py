"""The games there are. A new one is a folder here, and its line below (docs/new-game.md)."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from app.tasks.game.base import AnyGame
from app.tasks.game.games.glee import BARGAINING, NEGOTIATION, PERSUASION
from app.tasks.game.games.public_goods import PUBLIC_GOODS
from app.tasks.game.games.sug import SUG
from app.tasks.game.games.wac import WAC
from app.tasks.game.kit import Kit
from app.tasks.game.presenters.base import Presenter

T = TypeVar("T")
KITS: dict[str, Kit] = {
    kit.name: kit
    for kit in (
        SUG,
        BARGAINING,
        NEGOTIATION,
        PERSUASION,
        WAC,
        PUBLIC_GOODS,
    )
}
"""All that is known of each game, by its name."""


# Looked up at each use, so that a game that a test registers is there, too.
class _OfEach(Mapping[str, T]):
    """One thing of every game, by the game's name."""

    def __init__(self, get: Callable[[Kit], T]) -> None:
        self._get = get

    def __getitem__(self, game: str) -> T:
        return self._get(KITS[game])

    def __iter__(self) -> Iterator[str]:
        return iter(KITS)

    def __len__(self) -> int:
        return len(KITS)


GAMES: Mapping[str, AnyGame] = _OfEach(lambda kit: kit.game)
TITLES: Mapping[str, str] = _OfEach(lambda kit: kit.title)
RULES: Mapping[str, str] = _OfEach(Kit.rules_for_models)
FAMILIES: Mapping[str, tuple[str, ...]] = {
    family: tuple(kit.name for kit in KITS.values() if kit.family == family)
    for family in dict.fromkeys(kit.family for kit in KITS.values() if kit.family)
}
"""Games that are studied together, by a name for all of them."""


def presenter_of(game: str) -> Presenter:
    """The presenter of a game by its name."""
    return KITS[game].page


def phases() -> Mapping[str, tuple[str, str]]:
    """The phases of all games whose time can be set, with the kind of move and the games: `a bid`, "`wac`".

    The order within each game is kept; a phase of several games appears once.
    """
    found: list[str] = []
    for kit in KITS.values():
        own = list(kit.phases)
        for at, phase in enumerate(own):
            if phase not in found:
                later = next((found.index(each) for each in own[at:] if each in found), len(found))
                found.insert(later, phase)
    return {phase: _phase_text(phase) for phase in found}


def _phase_text(phase: str) -> tuple[str, str]:
    kits = [kit for kit in KITS.values() if phase in kit.phases]
    return kits[0].phases[phase], ", ".join(f"`{kit.name}`" for kit in kits)
