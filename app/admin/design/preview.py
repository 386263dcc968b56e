"""The participant's page of a draft, as far as possible: missing parts are named on the page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args
from urllib.parse import quote

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError
from sqlmodel import Session

from app.admin.design.fields import is_on, keys_to_fields, labels_of
from app.admin.design.nodes import Group, leaves, lists
from app.admin.design.outline import outline
from app.admin.design.values import dotted, entries, scales, shown
from app.admin.design.views import PageName
from app.core.errors import NotFound
from app.core.headers import FRAMED_POLICY
from app.core.templating import html_of
from app.library.contents import contents_named
from app.library.kinds import StimulusKind
from app.questions.base import Asked, Question
from app.questions.registry import QUESTIONS, TYPES, type_of
from app.questions.scales import SCALES
from app.sessions.views import page_of
from app.studies.access import StudyHere
from app.studies.drafts import DraftHere, draft_here
from app.studies.file.checks import MOST_TRIES, DesignComprehension
from app.studies.file.design import DesignCompletion, DesignConsent, StudyDesign, run_question
from app.studies.file.model import DEFAULT_MESSAGE
from app.studies.file.placeholders import Numbers, filled, numbers_of
from app.studies.file.redirects import checked_redirect
from app.tasks.game.looking import first_look
from app.tasks.game.settings import GameDesign
from app.tasks.pair.pairs import PairSpec, read_pair_file, resolve_rows
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.settings import PairDesign
from app.tasks.pair.terms import DesignPair, DesignTrials, Sample, Showing, Watch
from app.tasks.rating.items import DesignItem
from app.tasks.rating.settings import RatingDesign
from app.tasks.walk.settings import WalkDesign
from app.trials.design import BLOCK, BlockPart, Kind, PageKey, pages_of
from app.trials.here import TrialSeen
from app.trials.pages import MessagePage
from app.trials.places import Place
from app.trials.runs import BlockRun
from app.trials.stimuli import StimulusFacts, true_source_of

# A form in it goes nowhere, whatever the browser.
POLICY = FRAMED_POLICY.replace("form-action 'self'", "form-action 'none'")
NO_TITLE = "(no title yet)"
NO_TEXT = "*This text is still to be written.*"
NO_WORDS = "(this question has no words yet)"
NO_LABELS = ("(no labels yet)",)
NO_QUESTIONS = "No questions are asked here: participants do not see this page."
NO_INSTRUCTIONS = "No instructions are written: participants do not see this page."
NOT_YET = "Correct what the form lists first: then the first trial of this block is shown here."
ALONE = "The first page of a match. The form of this block has a link to try one against agents."
WALK = "Preview a saved version to see this block; the button is on the Launch page."
NO_PAIRS = "There is no pair of clips to show yet; the page is shown without videos."
_ASKED_AT = (("screening",), ("background",), ("comprehension", "questions"))
_SUBMIT = '<button type="submit"'
_SCRIPT = re.compile(r'<script type="module" src="/static/\w+\.js"></script>')
_PRELOADED = re.compile(r'\s*<link rel="modulepreload"[^>]*>')
_REFRESH = re.compile(
    r'<noscript><meta http-equiv="refresh"[^>]*></noscript>|<meta http-equiv="refresh"[^>]*>'
)
_OURS = '<script type="module" src="/static/admin/design-page.js"></script>'


def framed_page(session: Session, study: StudyHere, kind: PageName) -> str:
    """A page of the draft as HTML, to be framed next to the form."""
    here = draft_here(session, study)
    keys = here.draft.keys
    pairs = shown_pairs(keys, here.stimuli) if kind == "trial" else ()
    design = filled(design_as_far(keys), _numbers(here))
    plays = kind != "consent" or _plays_clips(here)
    return inert(html_of(page_of(design, place_in(keys, kind, pairs), block_of(design), plays_clips=plays)))


def _numbers(here: DraftHere) -> Numbers:
    """The numbers for the texts of a draft, as far as they are known."""
    if here.check.design is not None:
        return numbers_of(here.check.design)
    keys = here.draft.keys
    n = sum(pair.kind is Kind.MAIN for pair in shown_pairs(keys, here.stimuli))
    return {**numbers_of(design_as_far(keys)), **({"pairs": str(n), "trials": str(n)} if n else {})}


def _plays_clips(here: DraftHere) -> bool:
    """True if a draft shows clips, or if that is not known yet."""
    design = here.check.design if here.draft.keys.get("blocks") is not None else None
    return design is None or any(here.stimuli[name].kind is StimulusKind.CLIP for name in design.stimuli)


def framed_block(session: Session, study: StudyHere, number: int, now: datetime) -> str:
    """The page of a block's first trial that counts, from a draft without errors. Raises NotFound."""
    here = draft_here(session, study)
    keys = here.draft.keys
    title = shown(keys.get("title")) or NO_TITLE
    blocks = entries(keys, ("blocks",))
    if not 1 <= number <= len(blocks):
        raise NotFound(f"The design has no block {number}.")
    design = here.check.design
    if design is None:
        return html_of(MessagePage("No preview yet", NOT_YET, title))
    design = filled(design)
    block = design.blocks[number - 1]
    if isinstance(block, GameDesign):
        return inert(
            html_of(page_of(design, _at_table(block, now), BlockRun(block, (), 0, block.rounds_per_person)))
        )
    if isinstance(block, WalkDesign):
        return inert(html_of(page_of(design, _before_walk(block), BlockRun(block, (), 0, block.walks))))
    if not isinstance(block, (PairDesign, RatingDesign)):
        return html_of(MessagePage("No preview here", WALK, title))
    units = block.pairs if isinstance(block, PairDesign) else block.items
    n_practice = sum(unit.kind is Kind.PRACTICE for unit in units)
    n = len(units) - max(
        0, sum(unit.kind is Kind.MAIN for unit in units) - (block.per_participant or len(units))
    )
    part = BlockPart(block.id, block.task, n, n_practice, 1, False, block.noun)
    pages = pages_of(
        background=bool(design.background), instructions=bool(design.instructions), parts=[part]
    ).keys
    page = PageKey("trial", n_practice + 1)
    main = next(unit for unit in units if unit.kind is Kind.MAIN)
    place = Place(
        page=page,
        action="",
        submit_id="",
        done=pages.index(page),
        steps=len(pages) - 1,
        part=part,
        clips=lambda position, side: _clip_of(main, side) if position == page.position else "",
        trial=None if isinstance(main, DesignPair) else _seen(session, main),
    )
    return inert(html_of(page_of(design, place, BlockRun(block, (), n_practice, n))))


def _at_table(block: GameDesign, now: datetime) -> Place:
    """The first look at a match, from the seat that moves first."""
    part = BlockPart(block.id, block.task, block.rounds_per_person, 0, 1, False, block.noun)
    unit, here = first_look(block, now)
    trial = TrialSeen(0, unit, Kind.MAIN, None, None, None, None, None, own=here)
    page = PageKey("trial", 1)
    return Place(page, "", "", 1, 2, lambda position, side: "", part, trial, notice=ALONE, now=now)


def _before_walk(block: WalkDesign) -> Place:
    """The start of the first walk that counts; nothing moves there."""
    part = BlockPart(block.id, block.task, block.walks, 0, 1, False, block.noun)
    return Place(PageKey("trial", 1), "", "", 1, 2, lambda position, side: "", part)


def _clip_of(unit: DesignPair | DesignItem, side: str) -> str:
    if isinstance(unit, DesignItem):
        return _address_of(unit.stimulus)
    return _address_of(unit.a if side == "left" else unit.b)


def _address_of(name: str) -> str:
    return f"/admin/stimuli/{quote(name, safe='')}/clip.mp4"


def _seen(session: Session, item: DesignItem) -> TrialSeen:
    """An item as a session sees it."""
    facts = contents_named(session, [item.stimulus]).get(item.stimulus) if item.stimulus else None
    return TrialSeen(
        id=0,
        unit=item.id,
        kind=item.kind,
        n_bytes=None,
        duration_s=None,
        sent=None,
        stimulus_kind=facts.kind if facts else None,
        content=facts.content if facts else None,
    )


def block_of(design: StudyDesign) -> BlockRun:
    """The block of pairs of a draft, as its page is made from it."""
    return BlockRun(design.blocks[0], (), 0, 0)


def inert(html: str) -> str:
    """The page without what sends it; text from the draft cannot look like the markup taken out, as it is escaped."""
    html = html.replace(_SUBMIT, f"{_SUBMIT} disabled")
    return _SCRIPT.sub(_OURS, _PRELOADED.sub("", html))


def without_scripts(html: str) -> str:
    """The page as browsers without scripts have it, which does not come again by itself."""
    return _SCRIPT.sub("", _PRELOADED.sub("", _REFRESH.sub("", html)))


def place_in(keys: Mapping[str, Any], kind: PageName, pairs: Sequence[PairSpec]) -> Place:
    """The context of a page in a session; for trials, that of the first main one."""
    n_practice = sum(pair.kind is Kind.PRACTICE for pair in pairs)
    position = min(n_practice + 1, len(pairs)) or 1
    page = PageKey(kind, {"trial": position, "comprehension": 1}.get(kind, 0))
    asked = {at[0]: bool(entries(keys, at)) for at in _ASKED_AT}
    background, instructions = asked["background"], bool(shown(keys.get("instructions")))
    part = BlockPart(BLOCK, "pair", len(pairs) or 1, n_practice, 1)
    pages = pages_of(
        screening=asked["screening"],
        background=background,
        instructions=instructions,
        tries=1 if asked["comprehension"] else 0,
        parts=[part],
    ).keys
    notices = {
        **{kind: "" if is_asked else NO_QUESTIONS for kind, is_asked in asked.items()},
        "instructions": "" if instructions else NO_INSTRUCTIONS,
        "trial": "" if pairs else NO_PAIRS,
    }
    return Place(
        page=page,
        action="",
        submit_id="",
        done=pages.index(page) if page in pages else 0,
        steps=len(pages) - 1,
        part=part,
        clips=lambda position, side: _clip(pairs, position, side),
        notice=notices.get(kind, ""),
    )


def _clip(pairs: Sequence[PairSpec], position: int, side: str) -> str:
    if not 0 < position <= len(pairs):
        return ""
    pair = pairs[position - 1]
    return _address_of(pair.a if side == "left" else pair.b)


def shown_pairs(keys: Mapping[str, Any], stimuli: Mapping[str, StimulusFacts]) -> Sequence[PairSpec]:
    """The pairs that can be made out, practice first."""
    listed, drawn, true_source = keys.get("pairs"), keys.get("sample"), true_source_of(keys)
    if isinstance(listed, str) and listed.strip():
        pairs = resolve_rows(read_pair_file("", listed, by_row=True), stimuli, true_source)
        return sorted(pairs, key=lambda pair: pair.kind is not Kind.PRACTICE)
    try:
        return sample_pairs(Sample.model_validate(drawn), stimuli, true_source).pairs
    except ValidationError:
        return ()


def design_as_far(keys: Mapping[str, Any]) -> StudyDesign:
    """The draft as a design, with placeholders for missing parts. Accepts arbitrary keys; it has no pairs."""
    text = {name: value.strip() for name, value in keys_to_fields(keys).items()}
    age = text["consent.minimum_age"]
    watch, layout = text.get("trials.watch"), text.get("trials.layout")
    trials = DesignTrials(
        order="random",
        sides="balanced",
        watch="free" if watch == "free" else get_args(Watch)[0],
        layout=next((each for each in get_args(Showing) if each == layout), "side-by-side"),
        questions=tuple(_questions(keys, ("trials", "questions"))),
    )
    return StudyDesign(
        study="",
        title=text["title"] or NO_TITLE,
        consent=DesignConsent(
            version=text["consent.version"] or "(none yet)",
            text=text["consent.text"] or NO_TEXT,
            minimum_age=int(age) if re.fullmatch(r"[0-9]{1,3}", age) else None,
        ),
        screening=tuple(_questions(keys, ("screening",))),
        background=tuple(_questions(keys, ("background",))),
        instructions=text["instructions"],
        comprehension=DesignComprehension(
            questions=tuple(_questions(keys, ("comprehension", "questions"))),
            tries=1 if text.get("comprehension.tries") == "1" else MOST_TRIES,
            failed="end" if text.get("comprehension.failed") == "end" else "flag",
        ),
        blocks=(PairDesign(task="pair", sample=None, pairs=(), trials=trials),),
        completion=DesignCompletion(
            message=text["completion.message"] or DEFAULT_MESSAGE,
            code=text["completion.code"] or None,
            redirect=_address(text["completion.redirect"]),
            contact=text["completion.contact"] or None,
            minutes=_minutes(text["completion.minutes"]),
            pay=text["completion.pay"] or None,
        ),
    )


def _minutes(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,3}", text) else None


def _address(text: str) -> str | None:
    """The address if the study file would accept it; only then does it become a link."""
    try:
        return checked_redirect(text) if text else None
    except PydanticCustomError:
        return None


def _questions(keys: Mapping[str, Any], at: tuple[str, ...]) -> Iterator[Question]:
    for cards in lists(outline(keys)):
        for index, entry in enumerate(cards.entries if cards.place == at else ()):
            if isinstance(entry.value, Mapping):
                yield _question(keys, entry, f"{dotted(at).replace('.', '-')}-{index}")


def _right(
    question: Mapping[str, Any], keys: Mapping[str, Any], model: type[BaseModel] | None
) -> Question | None:
    """The question as it will be run; None if it is invalid. `model` has the keys that it may have at its place."""
    own = {name: tuple(labels) for name, labels in scales(keys).items() if isinstance(labels, (list, tuple))}
    try:
        read = model.model_validate(question) if model else None
        return run_question(read, {**own, **SCALES}) if isinstance(read, Asked) else None
    except (ValidationError, KeyError):
        return None


def _question(keys: Mapping[str, Any], entry: Group, id_: str) -> Question:
    """A question under a unique id: two questions that share one by mistake would otherwise be coupled."""
    question = entry.value
    model = entry.model or QUESTIONS.get(str(type_of(question)))
    if (right := _right(question, keys, model)) is not None:
        return right.model_copy(update={"id": id_})
    on = {leaf.key for leaf in leaves(entry) if leaf.kind == "yes-no" and is_on(leaf)}
    named, options = type_of(question), question.get("options")
    type_ = named if named and named in QUESTIONS else "text"
    drawn = Question(
        id=id_,
        type=type_,
        ask=shown(question.get("ask")).strip() or NO_WORDS,
        required=type_ == "2afc" or "required" in on,
        labels=_texts(labels_of(question, keys)),
        options=_texts(options if isinstance(options, (list, tuple)) else ()),
        minimum=_number(question.get("minimum")),
        maximum=_number(question.get("maximum")),
        allow_tie=type_ == "2afc" and "allow_tie" in on,
    )
    return TYPES[type_].as_far(drawn, question)


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(text for value in values if (text := shown(value).strip())) or NO_LABELS


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15
    return float(value) if is_number else None
