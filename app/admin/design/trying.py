"""A match of the draft to try: the participant's page, whose forms come back with the moves so far."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from sqlmodel import Session

from app.admin.design.preview import NOT_YET, without_scripts
from app.core.errors import NotFound
from app.core.templating import html_of
from app.sessions.views import page_of
from app.studies.access import StudyHere
from app.studies.drafts import check_stored
from app.tasks.game.settings import GameDesign
from app.tasks.game.trying import tried
from app.trials.design import BlockPart, Kind, PageKey
from app.trials.here import TrialSeen
from app.trials.pages import MessagePage
from app.trials.places import Place
from app.trials.runs import BlockRun

MOVES = "moves"
ABOUT = "A match to try: agents play the other seats, nothing is stored, and the time does not run out."
_FORM = re.compile(r'<form method="post" action="[^"]*" data-act="(\w+)"[^>]*>')
_LEAVING = re.compile(r'<details[^>]*>(?:(?!</details>).)*data-act="leave".*?</details>', re.DOTALL)


def trial_match(
    session: Session, study: StudyHere, number: int, form: Mapping[str, str], now: datetime
) -> str:
    """The page after one's moves: those before, as JSON in `moves`, and the one in the form. Raises NotFound."""
    design = check_stored(session, study).design
    if design is None:
        return html_of(MessagePage("No match yet", NOT_YET, study.slug))
    block = design.blocks[number - 1] if 1 <= number <= len(design.blocks) else None
    if not isinstance(block, GameDesign):
        raise NotFound(f"The design has no block {number} with matches.")
    moves = _moves(form.get(MOVES, ""))
    posted = {name: value for name, value in form.items() if name not in (MOVES, "do", "submit_id")}
    is_move = form.get("do") == "move"
    found = tried(block, [*moves, posted] if is_move else moves, now)
    part = BlockPart(block.id, block.task, 1, 0, 1, False, block.noun)
    trial = TrialSeen(0, found.unit, Kind.MAIN, None, None, None, None, None, own=found.state)
    place = Place(
        PageKey("trial", 1),
        "",
        "",
        1,
        2,
        lambda position, side: "",
        part,
        trial,
        notice=ABOUT,
        form=posted if found.errors else {},
        errors=found.errors,
        now=now,
    )
    page = without_scripts(html_of(page_of(design, place, BlockRun(block, (), 0, 1))))
    return _FORM.sub(lambda each: _with_moves(each[1], found.taken), _LEAVING.sub("", page))


def _moves(text: str) -> list[Mapping[str, str]]:
    """The moves before; none where the text is not ours."""
    try:
        read = json.loads(text or "[]")
        json.dumps(read, ensure_ascii=False).encode()  # half of a character in two parts is none
    except (ValueError, RecursionError):
        return []
    listed = read if isinstance(read, list) else []
    return [{str(k): str(v) for k, v in each.items()} for each in listed if isinstance(each, dict)]


def _with_moves(act: str, taken: Sequence[Mapping[str, str]]) -> str:
    """A form that comes back here; what follows a match begins another."""
    held = escape(json.dumps(taken if act == "move" else [], ensure_ascii=False))
    return f'<form method="get" action=""><input type="hidden" name="{MOVES}" value="{held}">'
