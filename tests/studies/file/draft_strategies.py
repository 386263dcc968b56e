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


@st.composite
def spoilt_drafts(draw: st.DrawFn) -> Any:
    """A whole draft in which a few values are anything, or gone, or beside an unknown key."""
    keys = copy.deepcopy(draw(whole_drafts()))
    for _ in range(draw(st.integers(1, 3))):
        at: Any = keys
        for _ in range(draw(st.integers(0, 3))):
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
