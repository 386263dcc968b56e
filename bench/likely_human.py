"""Likely Human as it is served, and how its pages are answered."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from bench.client import Address, Broken, Reply
from bench.library import CRITERIA, RATED, SLUG
from bench.servers import BIN, environment, free_address, serving
from bench.walks import RATIONALE, Form

_SUBMIT_ID = re.compile(rb'name="submit_id" value="([^"]+)"')


def playback() -> str:
    """The trial script's report of an undisturbed viewing."""
    clip = {
        "duration_s": 8.0, "played": [[0.0, 8.0]], "watched": True, "plays": 1, "stalls": 0, "stall_ms": 0,
        "dropped_frames": 0, "frames": 240, "errors": [], "failed": False, "max_rate": 1,
    }  # fmt: skip
    return json.dumps({"v": 1, "loads": 1, "drift_ms_max": 5, "hidden_ms": 0, "left": clip, "right": clip})


ANSWERS = {
    "choice": "left",
    "rationale": RATIONALE,
    "uncertainty": "2",
    "rt_ms": "9120",
    "playback": playback(),
}


def reading() -> str:
    """The rating script's report of a text that was read."""
    return json.dumps({"v": 1, "read_ms": 9000, "hidden_ms": 0, "parts": [9000], "depth": 1, "loads": 1})


RATINGS = {**dict.fromkeys(CRITERIA, "4"), "reason": RATIONALE, "rt_ms": "9120", "reading": reading()}


@dataclass(frozen=True, slots=True)
class LikelyHuman:
    """One study of the service, by its slug; `answers` are those of one of its trials."""

    name: str
    address: Address
    pid: int
    database: Path
    slug: str
    answers: Mapping[str, str]

    def prepare(self, at_once: int, seconds: float) -> None:
        """Do nothing: participants come at any time."""

    def entry(self) -> str:
        return f"/s/{self.slug}"

    def form_on(self, page: Reply) -> Form | None:
        found = _SUBMIT_ID.search(page.body)
        if not found:
            return None
        submit_id = found[1].decode()
        kind = submit_id.partition(".")[0].partition("-")[0]
        if kind == "consent":
            return Form(_encoded({"submit_id": submit_id, "decision": "agree"}), "")
        if kind == "trial":
            return Form(_encoded({"submit_id": submit_id, **self.answers}), submit_id)
        raise Broken(f"{page.path}: a page that the benchmark does not know: {submit_id}")

    def stored(self) -> set[str]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return {
                name
                for (name,) in connection.execute("SELECT submit_id FROM response WHERE trial_id IS NOT NULL")
            }


@contextmanager
def served(data: Path) -> Iterator[Sequence[LikelyHuman]]:
    """Serve a data folder as `likely-human serve` does: its pairs, and its ratings."""
    address = free_address()
    command: list[str | Path] = [
        BIN / "likely-human",
        "serve",
        "--host",
        address.host,
        "--port",
        str(address.port),
    ]
    with serving(
        command, address, environment(LIKELY_HUMAN_DATA=str(data), LIKELY_HUMAN_MAX_STARTS="0")
    ) as pid:
        at = address, pid, data / "likely-human.sqlite3"
        yield (
            LikelyHuman("Likely Human", *at, SLUG, ANSWERS),
            LikelyHuman("Likely Human, ratings", *at, RATED, RATINGS),
        )


def _encoded(fields: Mapping[str, str]) -> bytes:
    return urlencode(fields).encode()
