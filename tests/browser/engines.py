"""Debian's Firefox and WebKitGTK, which Playwright cannot drive: by Marionette and by WebDriver, as few commands as
the participant's way needs. Clicks are the browser's own, as a person's are.

Every wait has a bound, and whatever was started here ends with the test, or with the process that runs it.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import httpx2

MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that the W3C's WebDriver gives elements
POLL_S = 0.1
WAIT_S = 90.0  # for a state of the page
START_S, ANSWER_S, END_S = 60.0, 60.0, 10.0


class EngineError(AssertionError):
    """The browser refused a command, did not answer it in time, or has ended."""


class CommandRefused(EngineError):
    """The browser answered a command with an error."""


class Engine(Protocol):
    @property
    def pid(self) -> int:
        """Of the process that takes the commands."""

    def go(self, url: str) -> None: ...

    def run(self, script: str) -> Any:
        """The return values of a function's body."""

    def click(self, css: str) -> None: ...

    def write(self, css: str, text: str) -> None: ...


def press(engine: Engine, css: str) -> None:
    """Click as soon as it can be clicked: a click on a disabled button is lost without a word."""
    element = f"document.querySelector({json.dumps(css)})"
    wait_until(engine, f"{element}?.matches(':not(:disabled, [aria-disabled=true])')")
    engine.click(css)


def wait_until(engine: Engine, condition: str, wait_s: float = WAIT_S) -> None:
    end = time.monotonic() + wait_s
    refused = ""
    while time.monotonic() < end:
        try:
            if engine.run(f"return Boolean({condition})"):
                return
        except CommandRefused as error:  # between two pages there is no document to ask
            refused = str(error)
        time.sleep(POLL_S)
    shown = engine.run("return `${location.href}\\n${document.body.innerText}`")
    raise AssertionError(f"never came true in {wait_s:g} s: {condition}\n{refused}\n{shown}")


def missing(name: str) -> str:
    """The missing requirements of `name`; empty if all are installed."""
    needed = {"firefox": ["firefox-esr", "setpriv"], "webkit": ["WebKitWebDriver", "Xvfb", "setpriv"]}[name]
    lacking = [command for command in needed if shutil.which(command) is None]
    if name == "webkit" and not _mini_browser():
        lacking.append("MiniBrowser")
    return ", ".join(lacking)


def _mini_browser() -> Path | None:
    return next(Path("/").glob(MINI_BROWSERS.removeprefix("/")), None)


@contextmanager
def engine(name: str, folder: Path, *, answer_s: float = ANSWER_S) -> Iterator[Engine]:
    """A fresh browser with a profile of its own in `folder`. A command that is not answered in `answer_s` fails."""
    with {"firefox": _firefox, "webkit": _webkit}[name](folder, answer_s) as started:
        yield started


class _Process:
    """A command in a process group of its own, which the kernel ends with ours, however that ends."""

    def __init__(self, command: list[str], log: Path, **environment: str) -> None:
        self.name = command[0]
        self._log = log
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def error(self, what: str) -> EngineError:
        ended = self._process.poll()
        what = what if ended is None else f"{self.name} has ended with {ended}; {what}"
        return EngineError(f"{what}\n{self.said()[-2000:]}")

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        """Asked first: a screen that is killed leaves its lock behind."""
        with suppress(subprocess.TimeoutExpired, ProcessLookupError):
            os.killpg(self.pid, signal.SIGTERM)
            os.killpg(self.pid, signal.SIGCONT)
            self._process.wait(END_S)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def _started(command: list[str], folder: Path, **environment: str) -> Iterator[_Process]:
    process = _Process(command, folder / f"{command[0]}.log", **environment)
    try:
        yield process
    finally:
        process.end()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _connection(process: _Process, port: int) -> socket.socket:
    """As soon as `process` listens."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and not process.has_ended():
        try:
            return socket.create_connection(("127.0.0.1", port), START_S)
        except ConnectionRefusedError:
            time.sleep(POLL_S)
    raise process.error(f"{process.name} did not listen within {START_S:g} s")


class _Firefox:
    def __init__(
        self, process: _Process, connection: socket.socket, replies: BinaryIO, answer_s: float
    ) -> None:
        self.pid = process.pid
        self._process, self._connection, self._answer_s = process, connection, START_S
        self._replies = replies
        self._receive("the greeting")
        self._command("WebDriver:NewSession")
        self._answer_s = answer_s
        connection.settimeout(answer_s)

    def go(self, url: str) -> None:
        self._command("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        return self._command("WebDriver:ExecuteScript", script=script, args=[])

    def click(self, css: str) -> None:
        self._command("WebDriver:ElementClick", id=self._find(css))

    def write(self, css: str, text: str) -> None:
        self._command("WebDriver:ElementSendKeys", id=self._find(css), text=text)

    def _find(self, css: str) -> str:
        return str(self._command("WebDriver:FindElement", using="css selector", value=css)[ELEMENT])

    def _command(self, name: str, **parameters: object) -> Any:
        message = json.dumps([0, 1, name, parameters]).encode()
        with suppress(ConnectionError):  # the answer that does not come says it
            self._connection.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._receive(name)
        if error is not None:
            raise CommandRefused(f"{name} {parameters}: {error}")
        return result["value"] if set(result) == {"value"} else result

    def _receive(self, name: str) -> Any:
        try:
            length = b""
            while (character := self._replies.read(1)) != b":":
                if not character:
                    raise ConnectionError
                length += character
            return json.loads(self._replies.read(int(length)))
        except TimeoutError:
            raise self._process.error(f"Firefox did not answer {name} in {self._answer_s:g} s") from None
        except ConnectionError:
            raise self._process.error(f"Firefox left at {name}") from None


@contextmanager
def _firefox(folder: Path, answer_s: float) -> Iterator[Engine]:
    port = _free_port()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = ["firefox-esr", "--marionette", "--headless", "--no-remote", "--profile", str(folder)]
    with (
        _started(command, folder, HOME=str(folder)) as process,
        _connection(process, port) as connection,
        connection.makefile("rb") as replies,
    ):
        yield _Firefox(process, connection, replies, answer_s)


class _WebKit:
    def __init__(self, process: _Process, client: httpx2.Client, binary: Path, answer_s: float) -> None:
        self.pid = process.pid
        self._process, self._client, self._answer_s = process, client, START_S
        self._path = ""
        options = {"binary": str(binary), "args": ["--automation"]}
        asked = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._path = f"/session/{self._post('/session', **asked)['sessionId']}"
        self._answer_s = answer_s

    def go(self, url: str) -> None:
        self._post("/url", url=url)

    def run(self, script: str) -> Any:
        return self._post("/execute/sync", script=script, args=[])

    def click(self, css: str) -> None:
        self._post(f"/element/{self._find(css)}/click")

    def write(self, css: str, text: str) -> None:
        self._post(f"/element/{self._find(css)}/value", text=text)

    def _find(self, css: str) -> str:
        return str(self._post("/element", using="css selector", value=css)[ELEMENT])

    def _post(self, path: str, **parameters: object) -> Any:
        try:
            reply = self._client.post(self._path + path, json=parameters, timeout=self._answer_s)
        except httpx2.TimeoutException:
            raise self._process.error(f"WebKit did not answer {path} in {self._answer_s:g} s") from None
        except httpx2.TransportError as error:
            raise self._process.error(f"WebKit's driver left at {path}: {error}") from None
        if reply.status_code != 200:
            raise CommandRefused(f"{path} {parameters}: {reply.text}")
        return reply.json()["value"]


@contextmanager
def _webkit(folder: Path, answer_s: float) -> Iterator[Engine]:
    port, binary = _free_port(), _mini_browser()
    assert binary is not None
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with ExitStack() as stack:
        display = _display(stack.enter_context(_started(screen, folder, HOME=str(folder))))
        environment = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DISPLAY": f":{display}"}
        command = ["WebKitWebDriver", f"--port={port}"]
        compositing = {"WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
        driver = stack.enter_context(_started(command, folder, **environment, **compositing))
        _connection(driver, port).close()
        client = stack.enter_context(httpx2.Client(base_url=f"http://127.0.0.1:{port}"))
        yield _WebKit(driver, client, binary, answer_s)


def _display(screen: _Process) -> int:
    """The number that the screen says as soon as it is there."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and not screen.has_ended():
        lines = screen.said().splitlines(keepends=True)  # warnings of the keyboard's among them
        for number in (line.rstrip("\n") for line in lines if line.endswith("\n")):
            if number.isdigit():
                return int(number)
        time.sleep(POLL_S)
    raise screen.error(f"{screen.name} showed no screen within {START_S:g} s")
