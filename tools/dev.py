"""`make dev`: the demo study with simulated answers, served anew whenever our Python changes; Ctrl-C ends all of it.

Templates, styles and scripts are read anew at the next page, without a start. The data are in build/dev unless
LIKELY_HUMAN_DATA says otherwise: remove that folder to begin again.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
WATCHED = [ROOT / name for name in ("app", "analysis", "stimuli", "migrations", "docs")]
SUFFIXES = {".py", ".md"}  # help pages are kept in memory
PEOPLE, ACCURACY, SEED = 30, 0.84, 1
LOOK_EVERY_S, GRACE_S = 0.3, 20.0

Stamps = Mapping[Path, int]


def stamps(folders: Sequence[Path]) -> Stamps:
    """The time of the last write of each watched file."""
    found = {}
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.suffix in SUFFIXES:
            with suppress(FileNotFoundError):  # an editor's own, gone by now
                found[path] = path.stat().st_mtime_ns
    return found


def changed(before: Stamps, after: Stamps) -> list[Path]:
    """The paths written, added or removed."""
    return sorted({path for path, _ in before.items() ^ after.items()})


class Service:
    """The service with its worker, as a process that ends with this one, however this one ends."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._theirs, ours = os.pipe()  # our end closes with us
        os.set_inheritable(ours, False)
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tools.dev", "--serve", str(self._theirs), "--port", str(self.port)]
        # A session of its own: Ctrl-C reaches us alone, and we end it in turn.
        return subprocess.Popen(command, cwd=ROOT, pass_fds=[self._theirs], start_new_session=True)

    def is_running(self) -> bool:
        return self._process.poll() is None

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def start_again(self) -> None:
        self.end()
        self._process = self._start()

    def end(self) -> None:
        if self.is_running():
            self._process.terminate()
            try:
                self._process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def serve(pipe: int, port: int) -> None:
    """The process that serves: `likely-human demo`, with templates that are read anew."""
    from app.cli import app
    from app.core.parent import end_with_parent, read_to_end
    from app.core.templating import reload_templates

    end_with_parent(lambda: read_to_end(pipe), lambda: os.kill(os.getpid(), signal.SIGTERM))
    reload_templates()
    app(["demo", "--port", str(port)])


def simulate_once(people: int) -> None:
    """Simulated participants, the same ones each time; not again where they have been."""
    mark = Path(os.environ["LIKELY_HUMAN_DATA"]) / "simulated-by-dev"
    if not people or mark.exists():
        return
    program = str(Path(sys.executable).parent / "likely-human")
    how = ["-n", str(people), "--accuracy", str(ACCURACY), "--seed", str(SEED)]
    done = subprocess.run([program, "simulate", "demo", *how], check=False)
    if done.returncode == 0:
        mark.touch()


def watch(service: Service, folders: Sequence[Path], people: int) -> None:
    """Start the service again at each change, until Ctrl-C."""
    seen = stamps(folders)
    is_coming = was_running = True
    while True:
        time.sleep(LOOK_EVERY_S)
        if is_coming and service.is_ready():
            is_coming = False
            simulate_once(people)
        if was_running and not service.is_running():
            was_running = False
            say("The service has ended. It starts again when a file changes.")
        now = stamps(folders)
        if what := changed(seen, now):
            names = ", ".join(path.name for path in what[:3])
            say(f"{names}{' and more' if len(what) > 3 else ''} changed: starting again.")
            seen = now
            service.start_again()
            is_coming = was_running = True


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.dev", description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))
    parser.add_argument("--people", type=int, default=PEOPLE, help="simulated participants, once")
    parser.add_argument(
        "--watch", type=Path, nargs="*", default=WATCHED, help="folders whose changes start it again"
    )
    parser.add_argument("--serve", type=int, metavar="PIPE", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    os.environ.setdefault("LIKELY_HUMAN_DATA", str(ROOT / "build" / "dev"))
    if asked.serve is not None:
        serve(asked.serve, asked.port)
        return 0
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    service = Service(asked.port)
    try:
        watch(service, asked.watch, asked.people)
    except KeyboardInterrupt:
        say("")
    finally:
        service.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
