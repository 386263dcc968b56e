"""A simulated participant reads the typed page, a participant its HTML: both post the same fields."""

import re
from pathlib import Path

from app.core.templating import html_of
from app.simulation.tasks import SIMULATING
from app.trials.pages import Page
from tests.browser import game_pages, pages, rating_pages
from tests.browser.test_comparing import comparing
from tests.questions.test_contract import Posted


def form_of(html: str) -> dict[str, list[str]]:
    """The fields the page's form posts, with the options of each field in their order; buttons have values, too."""
    form = html.partition("<form")[2].partition("</form>")[0]
    posted = Posted(f"<form{form}").fields
    for name, value in re.findall(r'<button[^>]* name="(\w+)" value="(\w+)"', form):
        posted.setdefault(name, []).append(value)
    return posted


def test_every_page_posts_the_fields_that_it_names() -> None:
    shown: list[Page] = [
        pages.consent(),
        pages.consent(None),
        pages.background(),
        pages.instructions(),
        pages.trial(),
        comparing("One text.", "Another.", tie=True),
        rating_pages.rating(text="<p>A text.</p>"),
        rating_pages.rating(clip="c1", to_end=True),
    ]
    for page in shown:
        posted = form_of(html_of(page))
        assert posted == {field.name: list(field.options) for field in page.fields}, type(page).__name__


def test_a_page_of_a_match_asks_for_what_its_first_form_posts() -> None:
    asked = set()
    for name, page in game_pages.specimens().items():
        offered = set(re.findall(r'name="do" value="(\w+)"', html_of(page))) - {"leave"}
        assert (page.asks in offered) if offered else page.asks is None, name
        asked.add(page.asks)
    assert asked >= {"answers", "move", "ready", "again", "return", "next", None}


def test_no_simulated_participant_reads_html() -> None:
    files = [*Path("app/simulation").glob("*.py"), *Path("app/tasks").glob("*/simulated.py")]
    assert len(files) >= len(SIMULATING)
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^import re$|HTMLParser|response\.text\)", text, re.MULTILINE), path
