"""The available judges: built-in ones, and those of installed packages. Names and places only; nothing is loaded.

A package registers a judge by an entry point of the group `likely_human.judges`, whose name is the judge's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from app.core.errors import NotFound
from app.judges.base import Judge, JudgeInfo, JudgeUnavailable

GROUP = "likely_human.judges"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
# One file and one line each.
OURS = {
    "straightness": "app.judges.straightness:Straightness",
    "fidget": "app.judges.fidget:Fidget",
    "motion": "app.judges.motion:Motion",
    "message-length": "app.judges.message_length:MessageLength",
    "round-numbers": "app.judges.round_numbers:RoundNumbers",
    "response-times": "app.judges.response_times:ResponseTimes",
}


@dataclass(frozen=True, slots=True)
class Registered:
    """A judge's location; `package` is empty for built-in ones, else the distribution with its version."""

    name: str
    place: str
    package: str = ""

    @property
    def who(self) -> str:
        """The judge's name in error messages."""
        return f"the judge {self.name!r}" + (f" of the package {self.package}" if self.package else "")


@dataclass(frozen=True, slots=True)
class Registry:
    """Judges by name, built-in first; `refused` has a sentence for each registration that was refused."""

    judges: Mapping[str, Registered]
    refused: Sequence[str] = field(default=())


@cache
def registry() -> Registry:
    """Read once: a package that is installed later needs a new start."""
    return registry_of(entry_points(group=GROUP))


def registry_of(points: Iterable[EntryPoint]) -> Registry:
    """Built-in judges and those of the entry points; a name that is taken, repeated or invalid is refused."""
    ours = {name: Registered(name, place) for name, place in OURS.items()}
    found: dict[str, list[Registered]] = {}
    for point in points:
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
        found.setdefault(point.name, []).append(Registered(point.name, point.value, package))
    theirs, refused = {}, []
    for name, several in sorted(found.items()):
        packages = " and ".join(sorted({each.package for each in several}))
        if not _NAME.fullmatch(name):
            refused.append(
                f"{packages} registers a judge as {name[:80]!r}; allowed: letters, digits, . _ and -, at most 40"
            )
        elif name in ours:
            refused.append(
                f"{packages} registers a judge as {name!r}, the name of one that comes with this program"
            )
        elif len(several) > 1:
            refused.append(f"{packages} register two judges as {name!r}: remove one of them")
        else:
            theirs[name] = several[0]
    return Registry(ours | theirs, refused)


def judge_named(name: str) -> Judge:
    """A new judge, not yet prepared.

    Raises NotFound, naming the available ones, and JudgeUnavailable if it cannot be loaded or is no judge.
    """
    judges = registry().judges
    if name not in judges:
        raise NotFound(f"there is no judge {name[:80]!r}; there is {', '.join(judges)}")
    return load(judges[name])


def load(registered: Registered) -> Judge:
    """Load a judge. Raises JudgeUnavailable, whatever a package's own code does."""
    module, _, cls = registered.place.partition(":")
    try:
        made = getattr(import_module(module), cls)()
    except (Exception, SystemExit) as error:
        # SystemExit is no Exception: a package that exits would take the process with it.
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        raise JudgeUnavailable(f"{registered.who} cannot be loaded ({fault[:300]})") from error
    info = getattr(made, "info", None)
    if not isinstance(info, JudgeInfo) or not all(
        callable(getattr(made, name, None)) for name in ("prepare", "judge")
    ):
        raise JudgeUnavailable(f"{registered.who} is no judge: it lacks info, prepare or judge")
    if info.name != registered.name:
        raise JudgeUnavailable(
            f"{registered.who} calls itself {info.name!r}; its entry point has to say the same"
        )
    return cast(Judge, made)
