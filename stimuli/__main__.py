"""`python -m stimuli --out DIR`: write the demo clips, with a progress bar."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stimuli.clipset import N_CLIPS, generate
from stimuli.errors import StimuliError


class OneLineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> OneLineParser:
    parser = OneLineParser(prog="python -m stimuli", description="Write demo clips of walks to a goal.")
    parser.add_argument("--out", type=Path, required=True, help="folder for clips, positions and manifest")
    parser.add_argument(
        "--seed", type=int, default=1, help="the same seed gives the same clips (%(default)s)"
    )
    parser.add_argument("--clips", type=int, default=N_CLIPS, help="how many clips (%(default)s)")
    parser.add_argument("--workers", type=int, help="how many processes (one per processor)")
    return parser


def _generate_with_bar(given: argparse.Namespace) -> Path:
    columns = (TextColumn("Drawing clips"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True))
    task = progress.add_task("clips", total=None)

    def show(done: int, total: int) -> None:
        # Only now, so that what is refused before is one line and no bar.
        progress.start()
        progress.update(task, completed=done, total=total)

    try:
        return generate(
            given.out, seed=given.seed, clips=given.clips, workers=given.workers, on_progress=show
        )
    finally:
        if progress.live.is_started:
            progress.stop()


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    try:
        manifest = _generate_with_bar(given)
    except StimuliError as error:
        sys.stderr.write(f"stimuli: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("stimuli: interrupted; the same command starts again\n")
        return 130
    sys.stdout.write(f"{manifest}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
