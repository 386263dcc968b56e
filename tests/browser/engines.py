"""Debian's Firefox and WebKitGTK, which Playwright cannot drive: by Marionette and by WebDriver, as few commands as
the participant's way needs. Presses are the browser's own, as a person's are.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2

MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that the W3C's WebDriver gives elements
POLL_S, POLLS = 0.1, 1800
START_S, ANSWER_S = 60, 120


class Engine(Protocol):
    def go(self, url: str) -> None: ...

    def run(self, script: str) -> Any:
        """What the body of a function returns."""

    def press(self, css: str) -> None: ...

    def write(self, css: str, text: str) -> None: ...


def wait_until(engine: Engine, condition: str) -> None:
    for _ in range(POLLS):
        if engine.run(f"return Boolean({condition})"):
            return
        time.sleep(POLL_S)
    shown = engine.run("return document.body.innerText")
    raise AssertionError(f"never came true: {condition}\n{shown}")


def missing(name: str) -> str:
    """What is not installed of what `name` needs; empty where all is."""
    needed = {"firefox": ["firefox-esr"], "webkit": ["WebKitWebDriver", "Xvfb"]}[name]
    lacking = [command for command in needed if shutil.which(command) is None]
    if name == "webkit" and not _mini_browser():
        lacking.append("MiniBrowser")
    return ", ".join(lacking)


def _mini_browser() -> Path | None:
    return next(Path("/").glob(MINI_BROWSERS.removeprefix("/")), None)


@contextmanager
def engine(name: str, folder: Path) -> Iterator[Engine]:
    """A fresh browser with a profile of its own in `folder`."""
    with {"firefox": _firefox, "webkit": _webkit}[name](folder) as started:
        yield started


@contextmanager
def _process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, **options
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout:
            process.stdout.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class _Firefox:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._replies = connection.makefile("rb")
        self._receive()
        self._command("WebDriver:NewSession")

    def go(self, url: str) -> None:
        self._command("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        return self._command("WebDriver:ExecuteScript", script=script, args=[])

    def press(self, css: str) -> None:
        self._command("WebDriver:ElementClick", id=self._find(css))

    def write(self, css: str, text: str) -> None:
        self._command("WebDriver:ElementSendKeys", id=self._find(css), text=text)

    def close(self) -> None:
        self._command("Marionette:Quit", flags=["eForceQuit"])
        self._replies.close()
        self._connection.close()

    def _find(self, css: str) -> str:
        return str(self._command("WebDriver:FindElement", using="css selector", value=css)[ELEMENT])

    def _command(self, name: str, **parameters: object) -> Any:
        message = json.dumps([0, 1, name, parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._receive()
        assert error is None, f"{name} {parameters}: {error}"
        return result["value"] if set(result) == {"value"} else result

    def _receive(self) -> Any:
        length = b""
        while (character := self._replies.read(1)) != b":":
            assert character, "Firefox has ended"
            length += character
        return json.loads(self._replies.read(int(length)))


@contextmanager
def _firefox(folder: Path) -> Iterator[Engine]:
    port = _free_port()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = ["firefox-esr", "--marionette", "--headless", "--no-remote", "--profile", str(folder)]
    environment = {**os.environ, "HOME": str(folder)}
    with _process(command, stdout=subprocess.DEVNULL, env=environment) as process:
        firefox = _Firefox(_connection(process, port))
        try:
            yield firefox
        finally:
            firefox.close()
            process.wait(30)


def _connection(process: subprocess.Popen[str], port: int) -> socket.socket:
    """As soon as `process` listens."""
    for _ in range(round(START_S / POLL_S)):
        assert process.poll() is None, f"{process.args!r} has ended"
        try:
            return socket.create_connection(("127.0.0.1", port), ANSWER_S)
        except ConnectionRefusedError:
            time.sleep(POLL_S)
    raise AssertionError(f"{process.args!r} does not listen")


class _WebKit:
    def __init__(self, client: httpx2.Client, binary: Path) -> None:
        self._client = client
        self._path = ""
        options = {"binary": str(binary), "args": ["--automation"]}
        asked = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._path = f"/session/{self._post('/session', **asked)['sessionId']}"

    def go(self, url: str) -> None:
        self._post("/url", url=url)

    def run(self, script: str) -> Any:
        return self._post("/execute/sync", script=script, args=[])

    def press(self, css: str) -> None:
        self._post(f"/element/{self._find(css)}/click")

    def write(self, css: str, text: str) -> None:
        self._post(f"/element/{self._find(css)}/value", text=text)

    def close(self) -> None:
        self._client.delete(self._path)

    def _find(self, css: str) -> str:
        return str(self._post("/element", using="css selector", value=css)[ELEMENT])

    def _post(self, path: str, **parameters: object) -> Any:
        reply = self._client.post(self._path + path, json=parameters)
        assert reply.status_code == 200, f"{path} {parameters}: {reply.text}"
        return reply.json()["value"]


@contextmanager
def _webkit(folder: Path) -> Iterator[Engine]:
    port, binary = _free_port(), _mini_browser()
    assert binary is not None
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with ExitStack() as stack:
        display = stack.enter_context(_process(screen, stdout=subprocess.PIPE))
        assert display.stdout is not None
        number = display.stdout.readline().strip()
        environment = {
            **os.environ,
            "DISPLAY": f":{number}",
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        }
        command = ["WebKitWebDriver", f"--port={port}"]
        driver = stack.enter_context(_process(command, stdout=subprocess.DEVNULL, env=environment))
        _connection(driver, port).close()
        client = stack.enter_context(httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=ANSWER_S))
        webkit = _WebKit(client, binary)
        try:
            yield webkit
        finally:
            webkit.close()
