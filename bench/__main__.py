"""`python -m bench`: measure, print, and keep the figures in bench/.work/results.json."""

import argparse
import shlex
import sqlite3
import sys
from collections.abc import Callable, Sequence

from bench import otree
from bench.analysis import Work, analysis_text, measure_analysis
from bench.answers import Level, measure_answers
from bench.client import Broken
from bench.games import measure_games
from bench.inside import inside_text, measure_inside
from bench.kept import compared_text, is_coloured, ratios_of, read_kept
from bench.machine import this_machine
from bench.media import Media, measure_media
from bench.monitor import Watched, measure_monitor, monitor_text
from bench.planning import measure_planning, planning_text
from bench.report import answers_text, machine_text, media_text, write_json
from bench.servers import WORK
from bench.starts import measure_starts, starts_text
from bench.workers import Run, is_sound, measure_workers, workers_text

PARTS = ("answers", "workers", "media", "monitor", "analysis", "starts", "planning", "inside", "games")
MOST_OF_AN_AGENT_S = 2.0


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    parts = options.parts or PARTS
    command = f"python -m bench {shlex.join(arguments)}".strip()
    machine = this_machine()
    print(f"{command}\n{machine_text(machine)}", flush=True)
    levels: list[Level] = []
    shared: list[Run] = []
    media: list[Media] = []
    watched: list[Watched] = []
    analysed: list[Work] = []
    try:
        if "answers" in parts:
            with_otree = not options.skip_otree and _otree_is_there()
            levels = measure_answers(options.seconds, options.repeats, with_otree=with_otree)
            print(f"\n{answers_text(levels)}", flush=True)
            compared = compared_text(ratios_of(levels), read_kept(), coloured=is_coloured())
            print(f"\nBeside the last release:\n{compared}", flush=True)
        if "workers" in parts:
            shared = measure_workers(WORK / "workers", options.seconds, options.repeats)
            print(f"\n{workers_text(shared, machine.cores)}", flush=True)
        if "media" in parts:
            media = measure_media(options.seconds, options.repeats)
            print(f"\n{media_text(media)}", flush=True)
        if "monitor" in parts:
            watched = measure_monitor(options.repeats)
            print(f"\n{monitor_text(watched)}", flush=True)
        if "analysis" in parts:
            analysed = measure_analysis(options.repeats)
            print(f"\n{analysis_text(analysed)}", flush=True)
        if "starts" in parts:
            print(f"\n{starts_text(measure_starts(options.repeats))}", flush=True)
        if "planning" in parts:
            print(f"\n{planning_text(measure_planning(options.repeats))}", flush=True)
        if "inside" in parts:
            print(f"\n{inside_text(measure_inside())}", flush=True)
        if "games" in parts:
            print(flush=True)
            measure_games(min(options.seconds, MOST_OF_AN_AGENT_S))
    except (Broken, OSError, sqlite3.Error) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    write_json(WORK / "results.json", command, machine, levels, media, watched, analysed)
    unsound = [level for level in levels if not level.is_sound]
    for level in unsound:
        print(
            f"bench: {level.site}, {level.at_once} at once: {level.n_acknowledged} answers acknowledged, "
            f"{level.n_stored} stored, {level.n_lost} of the acknowledged lost",
            file=sys.stderr,
        )
    if not is_sound(shared):
        print("bench: of the answers on PostgreSQL not just those acknowledged are stored", file=sys.stderr)
    return 1 if unsound or not is_sound(shared) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Answers per second, with several processes too, clips, the monitor, the analysis, matches played.",
    )
    parser.add_argument("parts", nargs="*", type=_part, metavar="|".join(PARTS), help="what to measure (all)")
    parser.add_argument(
        "--seconds", type=_within(1, 3600), metavar="N", default=10, help="length of a run (10)"
    )
    parser.add_argument("--repeats", type=_within(1, 99), metavar="N", default=3, help="runs of each (3)")
    parser.add_argument("--skip-otree", action="store_true", help="do not measure oTree beside it")
    return parser


def _part(text: str) -> str:
    if text not in PARTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(PARTS)}")
    return text


def _within(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    return number


def _otree_is_there() -> bool:
    try:
        otree.install()
    except otree.NotInstalled as error:
        print(f"bench: oTree is left out, it could not be installed: {error}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
