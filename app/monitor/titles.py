"""Titles of a session's pages, as experimenters read them."""

from app.trials.design import PageKey, SessionPages


def page_title(page: PageKey, pages: SessionPages) -> str:
    """A page in words, trials numbered as participants see them; with its block where there are several."""
    of_block = f" ({page.block})" if page.block else ""
    if page.kind != "trial":
        number = f", try {page.position}" if page.position else ""
        words = {"debrief": "Completed", "self": "About themselves"}.get(page.kind, page.kind.capitalize())
        return f"{words}{number}{of_block}"
    return trial_title(page.position, pages)


def trial_title(position: int, pages: SessionPages) -> str:
    part = pages.part_at(position)
    noun = "Practice" if part.is_practice(position) else part.noun
    of_block = f" ({part.block})" if len(pages.parts) > 1 else ""
    return f"{noun} {part.number(position)}{of_block}"
