"""Touch targets are 44 px high and wide, on a telephone, on each of their pages."""

import pytest
from playwright.sync_api import Browser

from tools.pictures import others, served

from .game_pages import specimens
from .parts import each_part_once
from .steps import NARROW

pytestmark = pytest.mark.browser

LEAST_PX = 44
# A label is the target of what is in it. A link within a sentence of the study's own words is as high as its line.
SMALL = f"""() => [...document.querySelectorAll("a, button, summary, label:has(input), input, select, textarea")]
  .filter((each) => each.checkVisibility() && !each.matches("label input, [type=hidden], .prose a, .skip"))
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([, box]) => box.height < {LEAST_PX} || box.width < {LEAST_PX})
  .map(([each, box]) => `${{each.outerHTML.slice(0, 80)}}: ${{box.width}} x ${{box.height}}`)"""


def test_every_target_on_a_participants_pages_can_be_touched(browser: Browser, exhaustive: bool) -> None:
    page = browser.new_page(viewport=NARROW, reduced_motion="reduce")  # type: ignore[arg-type]
    small, n_targets = {}, 0
    with served() as addresses:
        for name in addresses if exhaustive else each_part_once({**specimens(), **others()}):
            page.goto(addresses[name])
            page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
            if found := page.evaluate(SMALL):
                small[name] = found
            n_targets += page.locator("a, button, summary, label:has(input)").count()
    page.close()
    assert small == {}
    assert n_targets > 150, "nothing was looked at"
