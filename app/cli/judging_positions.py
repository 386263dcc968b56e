"""`likely-human judge run NAME POSITIONS --pairs PAIRS.csv`: judges that never look, over paths without clips."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from app.cli.console import err, out, progress
from app.core.errors import StudyError

if TYPE_CHECKING:
    from app.judges.base import Judge
    from app.judges.runner import OnProgress, PairToJudge, VerdictRow


def run_on_positions(
    judge: "Judge",
    target: Path,
    listed: Path,
    output: Path | None,
    verdicts: "Callable[[Sequence[PairToJudge], OnProgress], list[VerdictRow]]",
) -> None:
    """A judge that never looks, over pairs of paths that have no clips."""
    from app.judges.base import Needs
    from app.judges.located import located, pairs_of
    from app.judges.runner import verdicts_csv

    if judge.info.needs is not Needs.POSITIONS:
        raise StudyError(f"{judge.info.name} does not judge by positions alone; give it a study")
    if not target.exists():
        raise StudyError(f"{target}: is not there; give a folder or a table of positions with --pairs")
    with located(target) as paths, written_to(output) as file:
        with progress("Judging") as on_progress:
            rows = verdicts(pairs_of(paths, listed, target.stem), on_progress)
        failed = [row for row in rows if row.problem]
        if len(failed) == len(rows):
            raise StudyError(f"{judge.info.name} could judge none of {len(rows)} pairs; {rows[0].problem}")
        file.write(verdicts_csv(rows).encode())
    for row in failed:
        err.print(f"{row.pair}: {row.problem}", markup=False)
    if output:
        out.print(f"{len(rows)} verdicts on {target} written to {output}", markup=False)


@contextmanager
def written_to(output: Path | None) -> Iterator[IO[bytes]]:
    """The output file, written atomically; opened before the judge begins, so that a bad path fails at once."""
    from app.core.whole_files import written_whole

    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with written_whole(output) as file:
        yield file
