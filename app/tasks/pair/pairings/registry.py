"""The ways to pair records there are."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from app.tasks.pair.pairings import same_config, same_situation, within_match
from app.tasks.pair.pairings.base import Pairing

PairingName = Literal["within-match", "same-config", "same-situation"]
PAIRINGS: Mapping[str, Pairing] = MappingProxyType(
    {each.PAIRING.name: each.PAIRING for each in (within_match, same_config, same_situation)}
)
