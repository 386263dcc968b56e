"""Two ways to use a page: with the mouse, or with the keyboard alone. Both go the same way."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from playwright.sync_api import ElementHandle, Error, FileChooser, Locator, Page, TimeoutError, expect

MOST_TABS = 400
# On a loaded machine Chromium once opened no dialog at the key; whoever sits there presses it again.
CHOOSER_MS, CHOOSER_TRIES = 30_000, 3
AT, GONE = "at", "gone"
WHERE = """(element, group) => {
  const active = document.activeElement;
  if (element === active || (group !== null && active.name === group)) return "at";
  return element.isConnected ? "" : "gone";
}"""


class Hand(Protocol):
    def press(self, target: Locator) -> None:
        """A button or link."""

    def write(self, target: Locator, text: str) -> None: ...

    def tick(self, target: Locator) -> None:
        """A radio button or checkbox."""

    def pick_files(self, target: Locator, files: Sequence[Path]) -> None: ...


class Mouse:
    def press(self, target: Locator) -> None:
        target.click()

    def write(self, target: Locator, text: str) -> None:
        target.click()
        target.fill(text)

    def tick(self, target: Locator) -> None:
        target.check()

    def pick_files(self, target: Locator, files: Sequence[Path]) -> None:
        with target.page.expect_file_chooser() as chooser:
            target.click()
        chooser.value.set_files([str(file) for file in files])


class Keyboard:
    """Tab to it, then Enter, Space, arrows or letters: nothing else, and nothing is focused by script."""

    def __init__(self, page: Page) -> None:
        self._keys = page.keyboard

    def press(self, target: Locator) -> None:
        expect(target).to_be_enabled()  # as a click waits for it
        self._go_to(target)
        self._keys.press("Enter")

    def write(self, target: Locator, text: str) -> None:
        self._go_to(target)
        self._keys.press("Control+a")
        self._keys.insert_text(text)

    def tick(self, target: Locator) -> None:
        target.wait_for()
        if target.is_checked():
            return
        group = target.get_attribute("name") if target.get_attribute("type") == "radio" else None
        self._go_to(target, group)
        for _ in range(MOST_TABS):
            if _has_focus(target):
                break
            self._keys.press("ArrowDown")
        if not target.is_checked():
            self._keys.press("Space")
        assert target.is_checked()

    def pick_files(self, target: Locator, files: Sequence[Path]) -> None:
        # Whoever listens from here on keeps the browser's own dialog away: one that opened would block all others.
        target.page.on("filechooser", _listening)
        for tries_left in reversed(range(CHOOSER_TRIES)):
            self._go_to(target)
            try:
                with target.page.expect_file_chooser(timeout=CHOOSER_MS) as chooser:
                    self._keys.press("Enter")
            except TimeoutError:
                if not tries_left:
                    raise
            else:
                chooser.value.set_files([str(file) for file in files])
                break
        target.page.remove_listener("filechooser", _listening)

    def _go_to(self, target: Locator, group: str | None = None) -> None:
        """Tab until it (or, of a group of radio buttons, any of it) has the focus."""
        target.wait_for()
        element = target.element_handle()  # found once: by its role it takes longer than the key
        for _ in range(MOST_TABS):
            where = _where(element, group)
            if where == AT:
                return
            if where == GONE:
                element = target.element_handle()
            else:
                self._keys.press("Tab")
        raise AssertionError(f"the keyboard does not reach {target}")


def _listening(_: FileChooser) -> None:
    """As long as somebody listens, choosers are handed to the test."""


def _where(element: ElementHandle, group: str | None) -> str:
    """`at` if an element, or one of its group, has the focus; `gone` if the page no longer has it; else empty."""
    try:
        return str(element.evaluate(WHERE, group))
    except Error:  # its page was left
        return GONE


def _has_focus(target: Locator) -> bool:
    return bool(target.evaluate("element => element === document.activeElement"))
