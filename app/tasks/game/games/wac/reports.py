"""Reports of the water auction: its signatures, and the residents' survival in each setting."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.figures import AnyFigure
from analysis.figures.water import setting_figures
from analysis.games.wac import WaterGame, WaterSetting, water_setting
from analysis.signatures import Act
from analysis.signatures.play_signature import PlaySignature
from analysis.signatures.published_play import PLAY_SIGNATURES
from app.tasks.game.base import Event, Seat
from app.tasks.game.match import config_hash
from app.tasks.game.match_files import MatchFile, SeatPlayed
from app.tasks.game.replay import Replayed
from app.tasks.game.reporting import Found, GameReports, Looking, decided


class WaterReports(GameReports):
    """Reports in which prices and residents depend on the configuration."""

    def signatures(self, seats: Sequence[SeatPlayed]) -> Sequence[PlaySignature]:
        return tuple(one for one in PLAY_SIGNATURES if one.game == "wac")

    def acts(self, one: SeatPlayed) -> Iterator[Act]:
        for state, event in decided(one):
            yield from _acts(state, one.seat, event)

    def more(self, looking: Looking) -> Found:
        """Each configuration with its survival, prices and residents."""
        settings, figures = water_settings(looking.file), list[AnyFigure]()
        for name, setting in settings.items() if looking.draws else ():
            figures += setting_figures(setting, f"{name}{looking.ending}", name.replace("-", " "))
        return Found({"settings": {name: one.to_dict() for name, one in settings.items()}}, figures)


def water_settings(file: MatchFile) -> Mapping[str, WaterSetting]:
    """The measures of the water auction for each configuration, by its preset's name or its hash."""
    named = {
        config_hash(config): name
        for one in file.games
        for name, configs in one.Config.named().items()
        for config in configs
    }
    games: dict[str, list[WaterGame]] = {}
    for one in file.matches:
        key = config_hash(one.match.config)
        games.setdefault(named.get(key, key), []).append(_water(one))
    return {name: water_setting(each) for name, each in sorted(games.items())}


def _water(one: Replayed) -> WaterGame:
    state = one.match.state
    names = [resident.name for resident in state.config.residents]
    return WaterGame(
        (state.config.supply_low, state.config.supply_high),
        {resident.name: resident.need for resident in state.config.residents},
        [
            {name: bid for name, bid in zip(names, day.bids, strict=True) if bid is not None}
            for day in state.past
        ],
        [[names[seat - 1] for seat in day.winners] for day in state.past],
        [{name: s.balance for name, s in zip(names, day.statuses, strict=True)} for day in state.past],
        [{name: s.health for name, s in zip(names, day.statuses, strict=True)} for day in state.past],
        one.id,
    )


def _acts(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    status, config = state.statuses[seat - 1], state.config
    # Without money the only bid is 0, and nothing is chosen.
    if not status.balance:
        return
    bid = int(event.move["amount"]) / status.balance
    yield Act("wac-bid-given-health", (status.health / config.most_health,), bid)
    yield Act("wac-bid-given-drought", (float(status.next_loss - 1),), bid)
    yield Act("wac-bid-given-supply", (state.supply / config.residents[seat - 1].need,), bid)


REPORTS = WaterReports()
