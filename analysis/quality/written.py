"""The rule on texts that a program may have written: a remark alone, as nothing known about a text tells it surely."""

import re
from collections.abc import Sequence
from statistics import fmean, pstdev

from analysis.quality.flagged import at_least, share
from analysis.quality.records import Answer, SessionRecord
from analysis.quality.rules import Bounds, Cohort, Parameter, Rule, Values
from analysis.quality.texts import n_words, plain_text

_NOT_TYPED, _PASTED = "not-typed", "pasted"
# 180 words of five characters a minute, with all thinking: the fast among 168,000 people who copied sentences reached
# 120 [DFKO18].
_FASTEST_PER_S = 15
_FROM_CHARACTERS = 40
_FEWEST_ALIKE = 10
_NEAT_SHARE = 0.95
# What a program says of itself. "As an AI would" is what an honest person may write about a clip.
_OWN_WORDS = re.compile(r"\bas (?:an ai|a large|a) language model\b", re.IGNORECASE)
_SLIPS = re.compile(r"  |\s[,.;]|[,;][^\W\d]|\bi\b|\.[A-Z]")

_WORDS = Parameter(
    "words",
    "Words of a long text, at least",
    "Likeness of style counts texts of so many words: short ones are alike whoever writes them.",
    20,
    "words",
    minimum=10,
    is_whole=True,
)
_SPREAD = Parameter(
    "spread",
    "Spread of their lengths, at most",
    f"Standard deviation of the number of words over its mean, of {_FEWEST_ALIKE} long texts or more that are all "
    "without slips.",
    0.12,
    maximum=1,
)


def _program_written(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    written = [answer for answer in session.answers if answer.texts]
    found: dict[str, float | int | str] = {}
    sudden = sum(_is_sudden(answer) for answer in written)
    if sudden >= (bounds["at_least"] or 1) and sudden >= (bounds["share"] or 0) * len(written):
        found["not_typed"] = sudden
    # A text that is written again is for the rule `repeated-text`.
    texts = list(dict.fromkeys(text for answer in written for text in answer.texts.values()))
    if spread := _alike(texts, bounds):
        found |= spread
    if own := sum(bool(_OWN_WORDS.search(text)) for text in texts):
        found["own_words"] = own
    return {**found, "of": len(written)} if found else None


def _is_sudden(answer: Answer) -> bool:
    """Texts that were filled in at once, or are longer than anybody types in the time that there was."""
    if _NOT_TYPED in answer.flags:
        return True
    n = sum(map(len, answer.texts.values()))
    if answer.writing_ms is None or _PASTED in answer.flags or n < _FROM_CHARACTERS:
        return False
    return 1000 * n > _FASTEST_PER_S * answer.writing_ms


def _alike(texts: Sequence[str], bounds: Bounds) -> Values | None:
    """The spread of the lengths of long texts, where these are neat and as long as one another."""
    sizes = {text: n_words(plain_text(text)) for text in texts}
    long = [text for text in texts if sizes[text] >= (bounds["words"] or 1)]
    if len(long) < _FEWEST_ALIKE or sum(map(_is_neat, long)) < _NEAT_SHARE * len(long):
        return None
    spread = pstdev(sizes[text] for text in long) / fmean(sizes[text] for text in long)
    return {"alike": len(long), "spread": round(spread, 3)} if spread <= (bounds["spread"] or 0) else None


def _is_neat(text: str) -> bool:
    """A capital, a full stop, and no slip of the keyboard."""
    whole = text.strip()
    begins = whole[:1].isupper() or not whole[:1].isalpha()
    return begins and whole[-1:] in {*'.!?)"”。！？'} and not _SLIPS.search(whole)


WRITTEN = (
    Rule(
        "program-written",
        "Text that a program may have written",
        "So many texts were filled in at once or faster than anybody types; or many long texts are neat and of one "
        "length; or one says that a language model wrote it. A remark alone, as it errs: by style it met 0 of 10 "
        "people (95% interval 0 to 28%) and 218 of 229 players written by GPT-4 (92 to 97%), on whose texts its bounds "
        "were chosen. Dictation may look filled in.",
        _program_written,
        (at_least(3), share(0.5), _WORDS, _SPREAD),
        flag_only=True,
    ),
)
