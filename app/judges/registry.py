"""The judges there are: one file and one line each."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from app.errors import NotFound
from app.judges.base import Judge, Needs


@dataclass(frozen=True, slots=True)
class Late:
    """A judge whose module is loaded when it is to judge: the service names judges, and loads no number crunching."""

    module: str
    cls: str
    title: str
    needs: Needs

    def load(self) -> type[Judge]:
        return cast(type[Judge], getattr(import_module(f"app.judges.{self.module}"), self.cls))


JUDGES: Mapping[str, Late] = {
    "straightness": Late(
        "straightness", "Straightness", "How far from straight the path is (positions)", Needs.POSITIONS
    ),
    "fidget": Late("fidget", "Fidget", "Small corrections of turn and speed (positions)", Needs.POSITIONS),
    "motion": Late("motion", "Motion", "Amount of motion in the picture (clips)", Needs.CLIPS),
}


def judge_named(name: str) -> Judge:
    """A fresh judge, not yet prepared. Raises NotFound, naming those that there are."""
    if name not in JUDGES:
        raise NotFound(f"there is no judge {name[:80]!r}; there is {', '.join(JUDGES)}")
    return JUDGES[name].load()()
