"""The figures as they are printed, in Markdown so that they can be put into README.md, and as JSON."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from bench.analysis import Work, as_json
from bench.answers import Level
from bench.machine import Machine
from bench.media import AT_ONCE, MEGABYTE, Media
from bench.monitor import Watched

GOAL_AT_ONCE = 20
GOAL_RATIO = 10
GOAL_P99_MS = 100
QUIET_CORES = 0.1

M = TypeVar("M", Level, Media)
Columns = dict[str, Callable[[M], str]]

_ANSWERS: Columns[Level] = {
    "at once": lambda level: str(level.at_once),
    "": lambda level: level.site,
    "answers/s": lambda level: f"{level.median.answers_per_s:,.1f}",
    "page turns/s": lambda level: f"{level.median.turns_per_s:,.1f}",
    "POST p50 ms": lambda level: f"{level.median.answer_ms_p50:,.1f}",
    "POST p99 ms": lambda level: f"{level.median.answer_ms_p99:,.1f}",
    "turn p50 ms": lambda level: f"{level.median.turn_ms_p50:,.1f}",
    "turn p99 ms": lambda level: f"{level.median.turn_ms_p99:,.1f}",
    "acknowledged": lambda level: f"{level.n_acknowledged:,}",
    "stored": lambda level: f"{level.n_stored:,}",
    "server cores": lambda level: f"{level.median.server_cores:.2f}",
    "client cores": lambda level: f"{level.median.client_cores:.2f}",
    "other cores": lambda level: f"{level.median.other_cores:.2f}",
    "server ms per answer": lambda level: f"{level.median.server_ms_per_answer:.2f}",
}
_MEDIA: Columns[Media] = {
    "": lambda media: media.site,
    "MB/s": lambda media: f"{media.median.megabytes_per_s:,.0f}",
    "replies/s": lambda media: f"{media.median.replies_per_s:,.0f}",
    "reply p50 ms": lambda media: f"{media.median.reply_ms_p50:,.1f}",
    "reply p99 ms": lambda media: f"{media.median.reply_ms_p99:,.1f}",
    "server cores": lambda media: f"{media.median.server_cores:.2f}",
    "client cores": lambda media: f"{media.median.client_cores:.2f}",
    "other cores": lambda media: f"{media.median.other_cores:.2f}",
}


def machine_text(machine: Machine) -> str:
    return (
        f"{machine.cores} cores, {machine.processor}, {machine.memory_gib:g} GiB, {machine.system}, "
        f"Python {machine.python}, SQLite {machine.sqlite}; load before {machine.load:g}, fsync {machine.sync_ms:g} ms"
    )


def answers_text(levels: Sequence[Level]) -> str:
    return "\n".join([*_table(_ANSWERS, levels), "", *_ratios(levels), *_noise(levels)])


def media_text(media: Sequence[Media]) -> str:
    ours, baseline = media
    ratio = ours.median.megabytes_per_s / baseline.median.megabytes_per_s
    said = f"{ours.clip_bytes / MEGABYTE:.1f} MB clip, {AT_ONCE} at once: {ratio:.2f} times {baseline.site}."
    return "\n".join([*_table(_MEDIA, media), "", said, *_noise(media)])


def write_json(
    path: Path,
    command: str,
    machine: Machine,
    levels: Sequence[Level],
    media: Sequence[Media],
    watched: Sequence[Watched],
    analysed: Sequence[Work],
) -> None:
    results = {
        "command": command,
        "machine": asdict(machine),
        "answers": [_with_median(level) for level in levels],
        "media": [_with_median(served) for served in media],
        "monitor": [asdict(each) for each in watched],
        "analysis": as_json(analysed),
    }
    path.write_text(json.dumps(results, indent=2) + "\n")


def _ratios(levels: Sequence[Level]) -> list[str]:
    lines = []
    for at_once in dict.fromkeys(level.at_once for level in levels):
        ours, *others = (level for level in levels if level.at_once == at_once)
        is_goal = at_once == GOAL_AT_ONCE
        for other in others:
            ratio = ours.median.answers_per_s / other.median.answers_per_s
            goal = f" (goal: at least {GOAL_RATIO})" if is_goal else ""
            of_goal = goal if other.site.startswith("oTree") else ""
            lines.append(
                f"{at_once} at once: {ratio:.1f} times the answers per second of {other.site}{of_goal}."
            )
        if is_goal:
            p99 = ours.median.answer_ms_p99
            lines.append(
                f"{at_once} at once: p99 of the answer POST {p99:.1f} ms (goal: under {GOAL_P99_MS})."
            )
    return lines


def _noise(measured: Sequence[Level] | Sequence[Media]) -> list[str]:
    cores = max(run.other_cores for each in measured for run in each.runs)
    if not cores > QUIET_CORES:
        return []
    return [
        f"NOT QUIET: something else had up to {cores:.1f} cores meanwhile; these rates and ratios say little."
    ]


def _with_median(measured: Level | Media) -> dict[str, Any]:
    return {**asdict(measured), "median": asdict(measured.median)}


def _table(columns: Columns[M], measured: Sequence[M]) -> list[str]:
    rows = [
        list(columns),
        ["---"] * len(columns),
        *([cell(each) for cell in columns.values()] for each in measured),
    ]
    return [f"| {' | '.join(cells)} |" for cells in rows]
