"""What the design's form calls things, and what it offers to choose from."""

from collections.abc import Mapping

from app.admin.design.pages import Options, PageName
from app.sessions.design import Kind

PAGES: tuple[tuple[PageName, str], ...] = (
    ("consent", "Consent"),
    ("background", "About you"),
    ("instructions", "Instructions"),
    ("trial", "Trial"),
    ("debrief", "End"),
)
LABELS: Mapping[str, str] = {
    "title": "Title",
    "consent.text": "Consent text",
    "consent.version": "Version of this text",
    "consent.minimum_age": "Minimum age",
    "instructions": "Instructions",
    "trials.order": "Order of the pairs",
    "trials.sides": "Sides of the clips",
    "trials.watch": "Watching",
    "completion.message": "Closing text",
    "completion.code": "Completion code",
    "completion.redirect": "Address to go on to",
    "completion.contact": "Whom to ask",
    "ask": "What is asked",
    "id": "Name in the data",
    "type": "Type of answer",
    "required": "An answer is required",
    "allow_tie": "“No difference” is an answer",
    "scale": "Scale",
    "labels": "Labels, one per line",
    "options": "Options, one per line",
    "max_length": "Longest answer, in characters",
    "minimum": "Smallest number",
    "maximum": "Largest number",
    "step": "Step from one number to the next",
    "name": "Name",
}
MARKDOWN = frozenset({"consent.text", "instructions", "completion.message"})
OPTIONAL = frozenset(
    {
        "consent.minimum_age",
        "instructions",
        "completion.message",
        "completion.code",
        "completion.redirect",
        "completion.contact",
        "max_length",
        "minimum",
        "maximum",
        "step",
    }
)
ROWS: Mapping[str, int] = {
    "consent.text": 12,
    "instructions": 10,
    "completion.message": 6,
    "ask": 2,
    "labels": 5,
    "options": 5,
}
PLACEHOLDERS: Mapping[str, str] = {
    "completion.redirect": "https://…",
    "completion.contact": "Ann Lee, ann.lee@example.org",
    "completion.message": "Thank you. Your answers have been saved. You can close this page now.",
    "consent.version": "2026-01",
}
CHOICES: Mapping[str, Options] = {
    "trials.order": (
        ("random", "Random, anew in every session"),
        ("fixed", "Fixed, as the pairs are listed"),
        ("blocked", "Blocked by condition"),
    ),
    "trials.sides": (
        ("balanced", "Balanced, within and over sessions"),
        ("random", "Random in every trial"),
        ("fixed", "Fixed: clip a is always on the left"),
    ),
    "trials.watch": (
        ("both-to-end", "Both clips to the end"),
        ("free", "As much as they like"),
    ),
}
TYPES: Mapping[str, str] = {
    "2afc": "Choice of a clip",
    "likert": "Point on a scale",
    "text": "Free text",
    "choice": "One of a list",
    "number": "Number",
    "slider": "Slider",
}
TASKS: Mapping[str, str] = {
    "pair": "Which of two clips",
    "rating": "Ratings, one item at a time",
    "game": "Matches of a game",
}
KINDS: Mapping[Kind, str] = {
    Kind.MAIN: "main",
    Kind.PRACTICE: "for practice",
    Kind.ATTENTION: "for attention",
}
OWN_LABELS = "Labels of its own"
# Where the study file's own words speak of the file.
HELP: Mapping[str, str] = {
    "consent.version": "Kept with every consent, so that it is known which text each person read.",
    "completion.code": "Shown on the last page, to be copied to where people came from.",
    "completion.contact": "Shown where somebody cannot go on, and so may not be paid: a name, an email address.",
    "max_length": "5,000 where it is left empty.",
    "id": "Lower-case letters, digits and _; answers stand under this name.",
    "type": "What people answer with.",
    "allow_tie": "A third choice under the two clips. It is a vote, for neither of them.",
    "trials.order": "In which order a participant meets the pairs.",
    "trials.sides": "Which clip of a pair is shown on the left.",
    "trials.watch": "What is to be watched before the questions open.",
    "name": "Lower-case letters, digits, - and _. Questions that use the scale follow when you rename it.",
    "scales.labels": "2 to 11 different labels; the first is answer 1.",
    "scale": "A named scale, or labels of its own.",
}
