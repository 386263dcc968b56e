"""Pictures of every phase of every game and of each other page of a participant, to be looked at.

`python -m tools.pictures [NAME ...]` writes `build/pictures/NAME-WIDTH-SCHEME.png`, at 1280 and 390 px, light and dark:
all pages, or those whose names begin with one of those given.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import pages, rating_pages
from tests.browser.conftest import CHROMIUMS, LAUNCH, make_clips
from tests.browser.end_pages import design, ends_of
from tests.browser.game_pages import specimens
from tests.browser.match_rig import MatchRig
from tests.browser.rig import Rig, Shown, serving

TO = Path("build") / "pictures"
SIZES = ({"width": 1280, "height": 900}, {"width": 390, "height": 844})
SCHEMES = ("light", "dark")


def others() -> Mapping[str, Shown]:
    """The pages of a participant that are of no game."""
    return {
        "consent": pages.consent(),
        "background": pages.background(),
        "instructions": pages.instructions(),
        "trial": pages.trial(),
        "trial-practice": pages.trial(practice=True, watch="free"),
        "rating-record": rating_pages.rating(questions=rating_pages.rubric()),
        "rating-text": rating_pages.rating(text=rating_pages.essay(), heading="How somebody found the goal"),
        "rating-clip": rating_pages.rating(clip="c1"),
        **pages.checks(),
        "debrief": pages.debrief(),
        "message": pages.message(),
        **pages.stops(),
        **ends_of(design()),
    }


@contextmanager
def served() -> Iterator[Mapping[str, str]]:
    """The address of each page by its name."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        matches = MatchRig()
        matches.pages = specimens()
        stack.enter_context(serving(matches))
        rig = stack.enter_context(serving(Rig(make_clips(folder))))
        yield {
            **{name: f"{matches.base_url}/x/{name}" for name in matches.pages},
            **{name: f"{rig.base_url}{rig.walk(page).action}" for name, page in others().items()},
        }


def main(wanted: tuple[str, ...]) -> int:
    """Write the pictures; 1 where a page is wider than its window, or no page is called so."""
    TO.mkdir(parents=True, exist_ok=True)
    wide, written = [], 0
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with served() as addresses, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=LAUNCH)
        page = browser.new_page(reduced_motion="reduce")
        for name, address in addresses.items():
            if wanted and not name.startswith(wanted):
                continue
            for size in SIZES:
                page.set_viewport_size(size)  # type: ignore[arg-type]
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                    page.goto(address)
                    page.screenshot(path=TO / f"{name}-{size['width']}-{scheme}.png", full_page=True)
                    written += 1
                if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wide.append(f"{name} at {size['width']} px")
        browser.close()
    lines = [f"{written} pictures in {TO}", *(f"wider than its window: {each}" for each in wide)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if wide or not written else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
