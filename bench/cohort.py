"""Which of the planted cheaters the default exclusion rules find, and which of the honest they spare."""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import av
import numpy as np
import yaml

from analysis.quality.records import session_records
from analysis.quality.registry import DEFAULT
from analysis.quality.rules import ChosenRule, Verdict
from analysis.quality.verdicts import verdicts
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.main import create_app
from app.reports.export import rows_of
from app.simulation.cohort import Cohort, Sent, send_cohort
from app.simulation.visitors import CHEATS, HONEST, OTHER, REMARKED, USUAL
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state, stimulus_facts
from app.trials.tables import State

SLUG = "cohort"
FOUND, SPARED = 0.95, 0.98
AT_ENTRY = "refused at entry"
WRITTEN = "program-written"
KINDS = (HONEST, *CHEATS, *REMARKED)
_BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Shape:
    """The study's size: main pairs and attention checks, and how long each clip lasts."""

    n_main: int = 12
    n_attention: int = 4
    seconds: float = 4.0


@dataclass(slots=True)
class Line:
    """One kind: how many were sent and left out of use, and by which rules; `remarked`: by `program-written`."""

    kind: str
    n: int = 0
    left_out: int = 0
    remarked: int = 0
    rules: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Found:
    """Cohorts judged by rules, kind by kind."""

    lines: Mapping[str, Line]

    @property
    def found(self) -> tuple[int, int]:
        """Planted left out, of all planted but those of `REMARKED`, for whom no rule leaves anybody out."""
        planted = [line for kind, line in self.lines.items() if kind in CHEATS]
        return sum(line.left_out for line in planted), sum(line.n for line in planted)

    @property
    def spared(self) -> tuple[int, int]:
        """Honest not left out, of all honest."""
        line = self.lines[HONEST]
        return line.n - line.left_out, line.n


@contextmanager
def cohort_study(folder: Path, shape: Shape) -> Iterator[tuple[Any, Database]]:
    """A live study in an empty data folder, with the application over it: pairs, attention checks and practice."""
    # DATABASE_URL is empty: a cohort has a database of its own, whatever the environment says.
    settings = Settings(LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL="", LIKELY_HUMAN_MAX_STARTS=0)  # type: ignore[call-arg]
    database = open_database(settings)
    try:
        made = folder / "made"
        made.mkdir()
        names = [
            f"{source}-{at}"
            for at in range(shape.n_main + shape.n_attention + 1)
            for source in ("human", "agent")
        ]
        lines = ["file,name,source"]
        for seed, name in enumerate(names):
            _draw(made / f"{name}.mp4", seed, shape.seconds)
            lines.append(f"{name}.mp4,{name},{name.partition('-')[0]}")
        (made / "manifest.csv").write_text("\n".join(lines) + "\n")
        clips = import_clips(
            read_manifest(made / "manifest.csv"), Rules(), ClipStore(settings.data_dir), workers=2
        )
        (made / "pairs.csv").write_text("\n".join(_pairs(shape)) + "\n")
        (made / "study.yaml").write_text(yaml.safe_dump(_STUDY, sort_keys=False))
        with database.transaction() as session:
            add_stimuli(session, clips, _BEGAN)
            loaded = load_version(session, load_study(made / "study.yaml", stimulus_facts(session)), _BEGAN)
            set_state(session, loaded.slug, State.LIVE)
        yield create_app(settings, database), database
    finally:
        database.close()


def _pairs(shape: Shape) -> Iterator[str]:
    yield "pair,a,b,kind"
    kinds = ["main"] * shape.n_main + ["attention"] * shape.n_attention + ["practice"]
    for at, kind in enumerate(kinds):
        yield f"{kind}-{at},human-{at},agent-{at},{kind}"


_STUDY: Mapping[str, Any] = {
    "study": SLUG,
    "title": "Which navigation looks human?",
    "consent": {
        "version": "cohort-1",
        "text": "# Taking part\n\nTaking part is voluntary; you can stop at any time.\n",
    },
    "instructions": "# Instructions\n\nWatch both videos to the end.\n",
    "pairs": "pairs.csv",
    "trials": {
        "watch": "both-to-end",
        "questions": [
            {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"},
            {"id": "rationale", "type": "text", "ask": "Why?", "required": False},
            {"id": "uncertainty", "type": "likert", "ask": "How certain are you?", "scale": "uncertainty"},
        ],
    },
    "completion": {"message": "# Thank you\n"},
}


def _draw(path: Path, seed: int, seconds: float) -> None:
    noise = np.random.default_rng(seed).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for frame in range(round(seconds * 30)):
            picture = av.VideoFrame.from_ndarray(np.roll(noise, frame, axis=1), format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


def judged(database: Database, sent: Sequence[Sent], rules: Sequence[ChosenRule] = DEFAULT) -> Found:
    """The cohort's verdicts, from the rows of its export."""
    with database.reading() as session:
        participants = list(rows_of(session, SLUG, "participants"))
        responses = list(rows_of(session, SLUG, "responses"))
    found = verdicts(lambda _version: rules, session_records(participants, responses))
    return of_verdicts(sent, found)


def of_verdicts(sent: Sequence[Sent], found: Mapping[str, Verdict]) -> Found:
    lines = {kind: Line(kind) for kind in KINDS}
    for one in sent:
        line = lines[one.kind]
        line.n += 1
        if one.session_id is None:
            line.left_out += 1
            line.rules[AT_ENTRY] += 1
            continue
        verdict = found[one.session_id]
        line.remarked += WRITTEN in verdict.rules
        if not verdict.use:
            line.left_out += 1
            line.rules.update(name for name in verdict.rules if not _only_remarks(name))
    return Found(lines)


def _only_remarks(rule: str) -> bool:
    return all(each.use for each in DEFAULT if each.rule == rule)


def run_cohort(
    cohort: Cohort,
    shape: Shape,
    on_progress: Callable[[int, int, str], None] = lambda done, total, item: None,
) -> Found:
    """Send one cohort through a study of its own, and judge it."""
    with tempfile.TemporaryDirectory() as folder, cohort_study(Path(folder), shape) as (app, database):
        sent = asyncio.run(send_cohort(app, database, SLUG, cohort, _BEGAN, on_progress))
        return judged(database, sent)


def added(several: Sequence[Found]) -> Found:
    lines = {kind: Line(kind) for kind in KINDS}
    for one in several:
        for kind, line in one.lines.items():
            lines[kind].n += line.n
            lines[kind].left_out += line.left_out
            lines[kind].remarked += line.remarked
            lines[kind].rules += line.rules
    return Found(lines)


def cohort_text(found: Found) -> str:
    """The table by kind, and the two shares; `remarked` counts whom `program-written` remarks on."""
    rows = [("", "sent", "left out", "remarked", "by")]
    for kind, line in found.lines.items():
        by = ", ".join(f"{rule} {n}" for rule, n in line.rules.most_common())
        rows.append((kind, str(line.n), str(line.left_out), str(line.remarked), by))
    wide = [max(len(row[at]) for row in rows) for at in range(4)]
    text = [
        "  ".join([f"{row[0]:<{wide[0]}}", *(f"{row[at]:>{wide[at]}}" for at in (1, 2, 3)), row[4]]).rstrip()
        for row in rows
    ]
    (n, planted), (spared, honest) = found.found, found.spared
    text.append(
        f"planted found: {n} of {planted} ({_share(n, planted)}), "
        f"honest spared: {spared} of {honest} ({_share(spared, honest)})"
    )
    return "\n".join(text)


def _share(n: int, of: int) -> str:
    return f"{n / of:.1%}" if of else "-"


def main(arguments: Sequence[str]) -> int:
    """Send cohorts and print the table; 1 where fewer are found, or spared, than is promised."""
    parser = argparse.ArgumentParser(prog="python -m bench.cohort", description=__doc__)
    parser.add_argument("--honest", type=int, default=100, help="honest people in a cohort (100)")
    parser.add_argument("--each", type=int, default=6, help="planted of each kind in a cohort (6)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="a cohort for each (1 2 3)")
    parser.add_argument("--other", action="store_true", help="the harder population, with clips of 8 s")
    options = parser.parse_args(arguments)
    habits, shape = (OTHER, Shape(seconds=8.0)) if options.other else (USUAL, Shape())
    several = []
    for seed in options.seeds:
        several.append(run_cohort(Cohort(options.honest, options.each, seed, habits), shape))
        print(f"seed {seed}\n{cohort_text(several[-1])}\n", flush=True)
    every = added(several)
    print(f"all seeds\n{cohort_text(every)}")
    (n, planted), (spared, honest) = every.found, every.spared
    return 0 if n >= FOUND * planted and spared >= SPARED * honest else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
