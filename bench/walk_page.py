"""Frames per second of the page of a walk in headless Chromium, at full speed and with the processor slowed down to
that of a telephone. `python -m bench.walk_page [SECONDS] [REPEATS]`."""

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from app.core.migrating import open_database
from app.core.settings import Settings
from bench.chaos import Service, opened
from bench.figures import median_of, percentile
from bench.machine import this_machine
from bench.report import machine_text

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-headless-shell")
# The headless shell holds the mouse by moving it at every frame.
NO_LOCK = "delete Element.prototype.requestPointerLock"
SLUG = "walk-page"
STUDY: Mapping[str, Any] = {
    "study": SLUG,
    "title": "Walk the map",
    "consent": {"version": "1", "text": "# Consent\n\nVoluntary.\n", "play_shown": True},
    "blocks": [{"id": "walk", "task": "walk", "walks": 1, "practice": 0, "limit_s": 300}],
    "completion": {"code": "WALKED"},
}
CASES: Mapping[str, tuple[int, int, int]] = {
    "1280 x 900": (1280, 900, 1),
    "390 x 844, processor 4 times slower": (390, 844, 4),
}
PROBE = """(seconds) => new Promise((done) => {
  const gaps = [];
  let first = null, last = null;
  const each = (now) => {
    if (last !== null) gaps.push(now - last);
    first ??= now;
    last = now;
    if (now - first < 1000 * seconds) requestAnimationFrame(each);
    else done(gaps);
  };
  requestAnimationFrame(each);
})"""


@dataclass(frozen=True, slots=True)
class Run:
    """`ready_ms` is from asking for the page until its button to start is there."""

    frames_per_s: float
    gap_ms_p99: float
    ready_ms: float


def measured(browser: Browser, address: str, case: tuple[int, int, int], seconds: float) -> Run:
    """Agree, start, and walk in a circle by holding two keys down."""
    width, height, slower = case
    context = browser.new_context(viewport={"width": width, "height": height})
    context.add_init_script(NO_LOCK)
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(f"{address}/s/{SLUG}")
    page.evaluate("sessionStorage.setItem('asked', String(Date.now()))")
    page.get_by_role("button", name="agree").first.click()
    button = page.locator("[data-start]")
    button.wait_for()
    ready_ms = page.evaluate("Date.now() - Number(sessionStorage.getItem('asked'))")
    button.click()
    for key in ("w", "ArrowLeft"):
        page.keyboard.down(key)
    gaps = page.evaluate(PROBE, seconds)
    context.close()
    return Run(1000 * len(gaps) / sum(gaps), percentile(gaps, 0.99), ready_ms)


def main(seconds: float, repeats: int) -> int:
    """Print a table in Markdown, each number the median of the repeats."""
    print(machine_text(this_machine()))
    print("\n|  | frames/s | longest of 100 gaps ms | agreed to ready ms |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as text, sync_playwright() as playwright:
        folder = Path(text)
        service = Service(folder)
        database = open_database(Settings.model_validate({"LIKELY_HUMAN_DATA": text}))
        opened(database, STUDY)
        service.start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            for name, case in CASES.items():
                address = f"http://{service.address.host}:{service.address.port}"
                run = median_of([measured(browser, address, case, seconds) for _ in range(repeats)])
                print(f"| {name} | {run.frames_per_s:.1f} | {run.gap_ms_p99:.0f} | {run.ready_ms:.0f} |")
        finally:
            browser.close()
            service.stop()
            database.close()
    return 0


if __name__ == "__main__":
    given: Sequence[str] = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 10.0, int(given[1]) if len(given) > 1 else 5))
