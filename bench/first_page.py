"""Time to the first page for a newcomer: `python -m bench.first_page [REPEATS]`, three by default.

Each repeat takes two fresh clones of the committed tree: in one everything is installed and nothing else (`make
.venv/.run`), in the other `make run` is asked for its first page until it answers, ended, and started once more. One
installation before them is not measured: it fills the caches of pip and uv, so that no number includes the network.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.client import Broken
from bench.machine import this_machine
from bench.report import machine_text
from bench.servers import environment, free_address

ROOT = Path(__file__).parents[1]
LOOK_EVERY_S, LONGEST_S = 0.02, 1800.0
PAGE = "/s/demo"


@dataclass(frozen=True, slots=True)
class Spent:
    """Time spent. `cpu_s` are processor seconds of all processes that ran, until the end."""

    seconds: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Repeat:
    installation: Spent
    first_page: Spent
    returning: Spent

    @property
    def ratio(self) -> float:
        return self.first_page.seconds / self.installation.seconds


def measured(work: Callable[[], float]) -> Spent:
    """Measure `work`, which returns the seconds it took; what it started has ended when it returns."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def clone(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def install(folder: Path) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        ["make", ".venv/.run"], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Broken(f"make .venv/.run: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - began


def until_the_page(folder: Path) -> float:
    """Seconds from `make run` until the first page has come; everything has ended afterwards."""
    address, log = free_address(), folder / "make-run.log"
    url = f"http://{address.host}:{address.port}{PAGE}"
    with log.open("wb") as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            ["make", "run"],
            cwd=folder,
            env=environment(PORT=str(address.port)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        while not answers(url):
            if process.poll() is not None or time.perf_counter() - began > LONGEST_S:
                raise Broken(f"make run: no page came: {log.read_text(errors='replace').strip()[-500:]}")
            time.sleep(LOOK_EVERY_S)
        return time.perf_counter() - began
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)  # make waits for the service, and that for its worker
        process.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            return bool(reply.status == 200 and b"</html>" in reply.read())
    except (urllib.error.URLError, OSError):
        return False


def one_repeat() -> Repeat:
    with tempfile.TemporaryDirectory(prefix="first-page-") as work:
        alone, whole = clone(Path(work, "alone")), clone(Path(work, "whole"))
        installation = measured(lambda: install(alone))
        first_page = measured(lambda: until_the_page(whole))
        return Repeat(installation, first_page, measured(lambda: until_the_page(whole)))


def text_of(repeats: Sequence[Repeat]) -> str:
    lines = ["| | seconds (each) | median | processor s |", "| --- | --- | --- | --- |"]
    for what, spent in (
        ("installation alone", [one.installation for one in repeats]),
        ("first page after `make run`", [one.first_page for one in repeats]),
        ("returning start", [one.returning for one in repeats]),
    ):
        each = ", ".join(f"{one.seconds:.1f}" for one in spent)
        middle = median(one.seconds for one in spent)
        lines.append(f"| {what} | {each} | {middle:.1f} | {median(one.cpu_s for one in spent):.1f} |")
    ratios = [one.ratio for one in repeats]
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    lines.append(f"| first page over installation | {each} | {median(ratios):.2f} | |")
    goals = "Goals: the first page in at most 1.5 times the installation alone, a returning start under 3 s."
    return "\n".join([*lines, "", f"{goals} Load of the machine: {os.getloadavg()[0]:.1f}."])


def main(arguments: Sequence[str]) -> int:
    n_repeats = int(arguments[0]) if arguments else 3
    print(f"python -m bench.first_page {n_repeats}\n{machine_text(this_machine())}", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix="first-page-") as work:
            install(clone(Path(work, "unmeasured")))
        repeats = [one_repeat() for _ in range(n_repeats)]
    except (Broken, OSError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"\n{text_of(repeats)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
