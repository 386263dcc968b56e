"""The parameters of the water game: its residents, and what a day brings."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from app.core.widgets import Widget
from app.tasks.game.base import GameConfig, Start, Strict

SUPPLIES = ((10, 20), (15, 25), (20, 30))


class Resident(Strict):
    """One resident: units of water needed and dollars earned a day, and who that is where personas are on."""

    named: ClassVar[str] = "Resident "
    noun: ClassVar[str] = "resident"

    name: Annotated[str, Widget(is_short=True)] = Field(min_length=1, max_length=40, title="Name")
    need: Annotated[int, Widget(unit="units a day")] = Field(ge=1, title="Water needed")
    salary: Annotated[int, Widget(unit="dollars a day")] = Field(ge=0, title="Salary")
    persona: Annotated[str, Widget(rows=2)] = Field(
        default="",
        max_length=1000,
        title="Persona",
        description="Read by the resident where personas are told.",
    )

    @classmethod
    def gist(cls, keys: Mapping[str, Any]) -> str:
        """`needs 8 units a day, earns 70 dollars a day`."""
        need, salary = keys.get("need", "?"), keys.get("salary", "?")
        return f"needs {need} units a day, earns {salary} dollars a day"


RESIDENTS = (
    Resident(
        name="Alex",
        need=8,
        salary=70,
        persona="You are out of work. You act on impulse, are easily annoyed, and rarely plan or guess others' moods.",
    ),
    Resident(
        name="Bob",
        need=9,
        salary=75,
        persona="You teach at a school. You feel with everybody, and judge numbers about as well as most people.",
    ),
    Resident(
        name="Cindy",
        need=10,
        salary=100,
        persona="You are a psychologist. You are even-tempered, clever, and understand people well.",
    ),
    Resident(
        name="David",
        need=11,
        salary=120,
        persona="You are a mathematician. You are brilliant with numbers, and people make you nervous.",
    ),
    Resident(
        name="Eric",
        need=12,
        salary=120,
        persona="You lead the marketing of a company. You are charming, sure of yourself, and read people quickly.",
    ),
)


class WaterConfig(GameConfig):
    """Published: three supplies, each with and without personas: 6 settings, played 10 times each."""

    together: ClassVar[Sequence[tuple[str, ...]]] = (("supply_low", "supply_high"),)
    starts: ClassVar[Sequence[Start]] = (
        Start("Published", "5 residents, 20 days, least water; nobody has a persona", {}),
        Start("Short", "5 residents, 8 days", {"days": 8}),
        Start("With personas", "5 residents who read who they are, 20 days", {"personas": True}),
    )
    titles: ClassVar[Mapping[str, str]] = {
        f"setting-{number}": f"Setting {number} of the paper" for number in range(1, 7)
    }
    length: ClassVar[str] = "days"

    residents: tuple[Resident, ...] = Field(
        default=RESIDENTS,
        min_length=2,
        max_length=20,
        title="Residents",
        description="Who needs water, with need and salary a day.",
    )
    supply_low: Annotated[int, Widget(unit="units a day")] = Field(
        default=10, ge=0, title="Water, at least", description="The least units of water on a day."
    )
    supply_high: Annotated[int, Widget(unit="units a day")] = Field(
        default=20, ge=0, title="Water, at most", description="The most units of water on a day."
    )
    personas: bool = Field(
        default=False,
        title="Tell residents who they are",
        description="Whether residents read who they are.",
    )
    days: Annotated[int, Widget(unit="days")] = Field(
        default=20, ge=1, le=365, title="Length of a match, at most", description="Days at most."
    )
    start_health: Annotated[int, Widget(unit="points")] = Field(
        default=8, ge=1, title="Health at the start", description="Health before day 1."
    )
    most_health: Annotated[int, Widget(unit="points")] = Field(
        default=10, ge=1, title="Health, at most", description="Health that water does not raise further."
    )
    water_health: Annotated[int, Widget(unit="points")] = Field(
        default=2, ge=0, title="Health gained by water", description="Health gained by a day with water."
    )
    start_balance: Annotated[int, Widget(unit="dollars")] = Field(
        default=0, ge=0, title="Balance at the start", description="Dollars before the first salary."
    )
    day_payoff: Annotated[int, Widget(unit="points")] = Field(
        default=1,
        ge=0,
        title="Payoff of a day alive",
        description="Payoff for each day that a resident is alive at its end.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.supply_low > self.supply_high:
            raise ValueError(f"supply_low {self.supply_low} is above supply_high {self.supply_high}")
        if self.start_health > self.most_health:
            raise ValueError(f"start_health {self.start_health} is above most_health {self.most_health}")
        if len({resident.name for resident in self.residents}) < len(self.residents):
            raise ValueError("two residents have the same name")
        return self

    @classmethod
    def grid(cls) -> Sequence[Self]:
        """Settings 1 to 6 of the paper."""
        return [
            cls(personas=personas, supply_low=low, supply_high=high)
            for personas, (low, high) in product((False, True), SUPPLIES)
        ]

    @classmethod
    def named(cls) -> Mapping[str, list[Self]]:
        """`setting-1` to `setting-6`."""
        return {f"setting-{number}": [config] for number, config in enumerate(cls.grid(), 1)}
