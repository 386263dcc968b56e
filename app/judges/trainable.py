"""The trainable networks, obtained from a separate process: the service loads no numeric libraries."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from app.core.errors import Conflict

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class NetworkHere:
    """A network: its name, title and origin, whether it reads clips (else positions), and its epochs."""

    name: str
    title: str
    origin: str
    sees: bool
    epochs: int


@dataclass(frozen=True, slots=True)
class Trainable:
    """The networks; the leaks that are looked for, each in a sentence; and why none can be trained, if so."""

    networks: Sequence[NetworkHere]
    leaks: Mapping[str, str]
    missing: str


@cache
def trainable() -> Trainable:
    """Asked once for each process. Raises Conflict where the process ends without an answer."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "app.judges.say_trainable"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=True,
        )
        said = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise Conflict(f"What can be trained here could not be found out ({type(error).__name__}).") from None
    return Trainable([NetworkHere(**each) for each in said["networks"]], said["leaks"], said["missing"])
