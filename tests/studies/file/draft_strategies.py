"""Drafts as somebody might write them: whole ones, spoilt ones, and anything that JSON can hold."""

import copy
from typing import Any

from hypothesis import strategies as st

from app.studies.file.keys import ORDER

_WORDS = [
    "no",
    "null",
    "~",
    "2021-01-05",
    "007",
    "1e5",
    "<<",
    "=",
    "#x",
    "[x]",
    "{x}",
    "'",
    '"',
    "\\",
    "---",
    "é",
]
_PHRASES = ["a: b", "- x", "a #b", "x\r\ny", "tail  \nof a line", "two\n\n\nbreaks", "\x1c", "\x07"]
_LINE_ENDS = ["\x85x", "x\u2028y", "\ufeffx"]
ANY_TEXT = st.text(max_size=12) | st.sampled_from([*_WORDS, *_PHRASES, *_LINE_ENDS])
TEXT = ANY_TEXT.filter(lambda text: bool(text.strip()) and not any(0xD800 <= ord(c) < 0xE000 for c in text))
MARKDOWN = st.lists(TEXT, min_size=1, max_size=5).flatmap(
    lambda lines: st.sampled_from(["\n", "\n\n", "  \n", "\n    ", "\r\n", "\n\t"]).map(
        lambda gap: gap.join(lines)
    )
)
_LABELS = st.lists(TEXT, min_size=2, max_size=5, unique_by=lambda text: text.strip())
_QUESTION = st.one_of(
    st.fixed_dictionaries({"type": st.just("likert"), "labels": _LABELS}),
    st.fixed_dictionaries({"scale": st.sampled_from(["quality", "mine"])}),
    st.fixed_dictionaries({"type": st.just("text")}, optional={"max_length": st.integers(1, 50_000)}),
    st.fixed_dictionaries({"type": st.just("choice"), "options": _LABELS}),
    st.fixed_dictionaries(
        {"type": st.just("number")},
        optional={
            "minimum": st.sampled_from([-1.5, 0, "0.10", 1e-9, "+7"]),
            "maximum": st.integers(8, 10**15),
        },
    ),
)


@st.composite
def _questions(draw: st.DrawFn, prefix: str) -> list[dict[str, Any]]:
    questions = draw(st.lists(_QUESTION, max_size=3))
    required = st.sampled_from([True, False, "yes", "no", None])
    return [
        {"id": f"{prefix}{n}", "ask": draw(TEXT), **question, "required": draw(required)}
        for n, question in enumerate(questions)
    ]


_YES_NO = st.sampled_from([True, False, "yes", "no", None])
PAIRS = "pair,a,b,condition,truth,kind\np1,human-1,hybrid-1,,,\np2, hybrid-2 ,symbolic-2,other,a,practice\n"
_SAMPLE = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 9),
        "conditions": st.sampled_from([{"human-hybrid": 3}, {"human-hybrid": "2", "hybrid-symbolic": 6}]),
    },
    optional={"match": st.sampled_from(["goal", ["goal"], []]), "practice": st.just({"human-symbolic": 1})},
)
_WHERE_PAIRS = st.sampled_from(
    [{"pairs": PAIRS}, {"pairs": "\n" + PAIRS.replace("\n", "\r\n")}]
) | _SAMPLE.map(lambda sample: {"sample": sample})


@st.composite
def whole_drafts(draw: st.DrawFn) -> dict[str, Any]:
    """Drafts that (nearly always) are a study over the clips of `make_facts()`."""
    keys: dict[str, Any] = {
        "study": "a-study",
        "title": draw(TEXT),
        "consent": {"version": draw(TEXT | st.integers(0, 99)), "text": draw(MARKDOWN)},
        "background": draw(_questions("b")),
        "instructions": draw(st.none() | MARKDOWN),
        "scales": {"mine": draw(_LABELS)},
        "trials": {
            "questions": [
                {"id": "choice", "type": "2afc", "ask": draw(TEXT), "allow_tie": draw(_YES_NO)},
                *draw(_questions("t")),
            ],
            **draw(st.sampled_from([{}, {"order": "fixed"}, {"order": "random", "watch": "free"}])),
        },
        **draw(_WHERE_PAIRS),
    }
    if draw(st.booleans()):
        keys["completion"] = {"message": draw(MARKDOWN), "code": draw(st.none() | TEXT)}
    return keys


_LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), float("inf"), float("nan"), 1e308]),
    st.floats(),
    st.text(max_size=8),
    ANY_TEXT,
    st.sampled_from(["2afc", "likert", "\ud800", "https://[x", "k" * 2000, PAIRS, "pair,a,b\nx,y"]),
)
_KEYS = (
    *ORDER,
    "text",
    "seed",
    "match",
    "conditions",
    "questions",
    "id",
    "type",
    "ask",
    "labels",
    "scale",
    "message",
)
_KEY = st.sampled_from([*_KEYS, "redirect", "code", "required", "k" * 2000, "\ud800", "? x", ""])
JSON = st.recursive(
    _LEAF,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(_KEY | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


_ITEMS = st.sampled_from(
    [
        "item,stimulus,group\nITEM-1,human-1,\nITEM-2, hybrid-2 ,b\nITEM-3,symbolic-3,\n",
        'item,text,kind,group,condition\nITEM-1,"a, ""b""\n\nc",,b,x\nITEM-2,- =1 é,practice,,\n',
        "\nitem,kind,stimulus,text,group\nITEM-1,main,human-4,,b\r\nITEM-2,attention,,Press 3.,c\n",
    ]
)


@st.composite
def _criteria(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Questions about items; the first is of all of them."""
    questions = [{"id": "all", "type": "text", "ask": draw(TEXT)}, *draw(_questions("r"))]
    for question in questions[1:]:
        if draw(st.booleans()):
            question["when"] = {"group": draw(st.sampled_from(["b", ["b"]]))}
        if question.get("type") == "likert" and draw(st.booleans()):
            question["anchors"] = {"1": draw(TEXT), "2": draw(TEXT)}
    return questions


@st.composite
def _block(draw: st.DrawFn, n: int) -> dict[str, Any]:
    block: dict[str, Any] = {"id": f"part-{n}"}
    if draw(st.booleans()):
        block["instructions"] = draw(MARKDOWN)
    if draw(st.booleans()):
        block["per_participant"] = draw(st.sampled_from([1, "1"]))
    if draw(st.booleans()):
        items = draw(_ITEMS).replace("ITEM", f"i{n}")
        if draw(st.booleans()):
            block["self_assessment"] = draw(MARKDOWN)
        per_item: dict[str, Any] = draw(st.sampled_from([{}, {"per_item": 2}, {"order": "fixed"}]))
        return {**block, "task": "rating", "items": items, "questions": draw(_criteria()), **per_item}
    whole = draw(whole_drafts())
    own: dict[str, Any] = {key: whole[key] for key in ("pairs", "sample", "trials") if key in whole}
    if "pairs" in own:
        own["pairs"] = own["pairs"].replace("p1", f"p{n}-1").replace("p2", f"p{n}-2")
    return {**block, "task": "pair", **own}


@st.composite
def whole_block_drafts(draw: st.DrawFn) -> dict[str, Any]:
    """Drafts of several blocks that are a study over the clips of `make_facts()`; one of them at most is drawn."""
    whole = draw(whole_drafts())
    rest = {key: value for key, value in whole.items() if key not in ("pairs", "sample", "trials")}
    blocks = [draw(_block(n)) for n in range(draw(st.integers(1, 3)))]
    drawn = [block for block in blocks if "sample" in block]
    order = draw(st.sampled_from([{}, {"block_order": "fixed"}, {"block_order": "random"}]))
    return {**rest, "blocks": [block for block in blocks if block not in drawn[1:]], **order}


def spoilt_drafts() -> st.SearchStrategy[Any]:
    """A whole draft in which a few values are anything, or gone, or beside an unknown key."""
    return spoilt(whole_drafts())


def spoilt_block_drafts() -> st.SearchStrategy[Any]:
    return spoilt(whole_block_drafts())


@st.composite
def spoilt(draw: st.DrawFn, drafts: st.SearchStrategy[dict[str, Any]]) -> Any:
    keys = copy.deepcopy(draw(drafts))
    for _ in range(draw(st.integers(1, 3))):
        at: Any = keys
        for _ in range(draw(st.integers(0, 4))):
            inner = [
                v for v in (at.values() if isinstance(at, dict) else at) if isinstance(v, dict | list) and v
            ]
            at = draw(st.sampled_from(inner)) if inner else at
        if isinstance(at, list):
            at[draw(st.integers(0, len(at) - 1))] = draw(JSON)
        elif draw(st.booleans()):
            at[draw(_KEY | st.sampled_from(sorted(at)))] = draw(JSON)
        else:
            at.pop(draw(st.sampled_from(sorted(at))))
        keys = keys or {"study": "x"}
    return keys
