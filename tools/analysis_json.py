"""The keys in docs/analysis-json.md, made from the dataclasses of results: `python -m tools.analysis_json`."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pandas as pd

from analysis.choice.published import Published
from analysis.detection.studies import BlockJudgements
from analysis.findings.registry import STATISTICS
from analysis.findings.what_if import NAME as WHAT_IF
from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import GroupComparison as RatingGroups
from analysis.ratings.studies import BlockRatings
from analysis.reported import Analysis
from analysis.stats.what_if import WhatIf
from tools.made import write_part
from tools.wrap_markdown import WIDTH

PAGE = Path(__file__).parents[1] / "docs" / "analysis-json.md"
MAKER = "tools/analysis_json.py"
# What is printed, and where: the last three where there are ratings and judgements.
ROOTS: Mapping[type, str] = {
    Analysis: "all of it",
    BlockRatings: "`ratings[]`",
    BlocksCompared: "`rating_comparisons[]`",
    BlockJudgements: "`yes_no[]`",
}
_WORDS: Mapping[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    pd.DataFrame: "list of rows",
}
# Keys that mean the same wherever they stand.
COMMON: Mapping[str, str] = {
    "reason": "why there is no number, or nothing to compare; null where there is",
    "warning": "what to mind in reading it, in a sentence",
    "n": "how many it is over",
    "n_participants": "participants",
    "n_pairs": "pairs",
    "n_answers": "answers",
    "n_votes": "votes",
    "n_blank": "answers without a choice",
    "n_tie": "answers that there is no difference",
    "n_correct": "right answers",
    "n_comparisons": "answers that compare two sources",
    "n_values": "different values",
    "n_disagreements": "pairs whose label is not the majority",
    "n_stimuli": "stimuli",
    "n_without_truth": "answers about stimuli without a truth",
    "n_signal": "answers about the signal",
    "n_noise": "answers about the noise",
    "hits": "answers that name the signal rightly",
    "false_alarms": "answers that take noise for the signal",
    "method": "how it was computed, in words",
    "interval_method": "how the intervals were computed, in words",
    "level": "of the interval, such as 0.95",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "interval": "of the number beside it",
    "trials": "which trials an uncertainty is over",
    "seed": "of what is drawn at random",
    "resamples": "of the bootstrap; 0 where the interval needs none",
    "p": "p value, 0 to 1",
    "p_two_sided": "two-sided p value, 0 to 1",
    "p_holm": "`p` after Holm's correction, 0 to 1",
    "n_family": "how many tests the correction is over",
    "alternative": "of the test; `greater`: the first is higher",
    "mean": "the mean",
    "sd_ddof0": "standard deviation, by n",
    "sd_ddof1": "standard deviation, by n - 1",
    "rank_biserial": "effect size, -1 to 1",
    "chance": "what the values are held against",
    "studies": "the names of the studies, in the order asked for",
    "study": "the study's name",
    "block": "the block's id",
    "condition": "the condition",
    "source": "the source",
    "against": "the source that it was chosen over",
    "criterion": "the criterion",
    "measure": "what is compared",
}
RATING_SETTINGS = ("scale", "out_of_range", "agreement_level", "seed", "resamples", "level")
DETECTION_SETTINGS = ("signal", "noise", "correction", "seed", "resamples", "level")
_MOVED = {"studies[].against_chance.": "studies[].accuracy.against_chance."}
_PUBLISHED = ("as_published", "corrected", "what_differs", "majority_vote_agrees_with_truth")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an object: its type in words and its meaning; empty where the type says it all."""

    name: str
    type: str
    meaning: str


def keys_of(cls: type) -> tuple[Key, ...]:
    """The keys of a result's JSON, in order."""
    found = {key.name: key for each in fields(cls) for key in _of_field(cls, each)}
    match cls.__name__:
        case "Analysis":
            return _of_analysis(found)
        case "StudyResult":
            return _of_study(found)
        case "RatingAnalysis":
            return _with_settings(found, RATING_SETTINGS, ())
        case "DetectionAnalysis":
            return _with_settings(found, DETECTION_SETTINGS, ("origin",))
    return tuple(found.values())


def _of_analysis(found: dict[str, Key]) -> tuple[Key, ...]:
    own = list(found.values())
    at = list(found).index("published")
    published = {key.name: key for key in keys_of(Published)}
    there = [Key(name, f"{published[name].type} or null", published[name].meaning) for name in _PUBLISHED]
    source = Key("published_source", "text or null", published["source"].meaning)
    return (
        Key("format", "text", "changes when a key goes or means something else"),
        *own[:at],
        *there,
        source,
        *own[at + 1 :],
    )


def _of_study(found: dict[str, Key]) -> tuple[Key, ...]:
    chance, trials = found.pop("against_chance"), found.pop("uncertainty_trials")
    preferences = found.pop("participant_preferences")
    del found["further"]  # keys of their own, by the name of each statistic that is added
    moved = {
        "accuracy": f"and in it `against_chance`, a {chance.type}",
        "uncertainty": f"and in it `trials`: {trials.type}",
        "uncertainty_all": "and in it `trials`: `all`",
        "participants": f"and in each `preferences`, a {preferences.type}",
    }
    own = (
        Key(k.name, k.type, "; ".join(filter(None, (k.meaning, moved.get(k.name))))) for k in found.values()
    )
    return (*own, *(Key(name, in_words(cls), "") for name, cls in further().items()))


def further() -> Mapping[str, type]:
    """The results of statistics that `StudyResult` has no field for, by the key that each has."""
    computed = {one.name: get_type_hints(one.compute)["return"] for one in STATISTICS if one.compute}
    return {**computed, WHAT_IF: WhatIf}


def _with_settings(
    found: dict[str, Key], settings: tuple[str, ...], not_said: tuple[str, ...]
) -> tuple[Key, ...]:
    asked = ", ".join(f"`{name}`" for name in settings)
    first = (Key("format", "text", "as above"), Key("settings", "object", f"what was asked for: {asked}"))
    return (*first, *(key for name, key in found.items() if name not in (*settings, *not_said)))


def _of_field(cls: type, each: "Field[Any]") -> Iterator[Key]:
    hint = hints(cls)[each.name]
    if each.metadata.get("flat"):
        yield from keys_of(hint)
        return
    words = in_words(hint)
    common = "" if "](#" in words and each.name != "interval" else COMMON.get(each.name, "")
    yield Key(each.metadata.get("key", each.name), words, said_of(cls).get(each.name) or common)


@cache
def hints(cls: type) -> Mapping[str, Any]:
    return get_type_hints(cls)


@cache
def said_of(cls: type) -> Mapping[str, str]:
    """The docstrings below the fields of a class, with a small letter first."""
    [body] = [
        node.body
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(cls))))
        if isinstance(node, ast.ClassDef)
    ]
    return {
        field.target.id: _small(" ".join(str(doc.value.value).split()).removesuffix("."))
        for field, doc in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)
    }


def _small(text: str) -> str:
    is_word = text[1:2].islower() or text[1:2] == " "
    return text[:1].lower() + text[1:] if is_word else text


def in_words(hint: Any) -> str:
    """A type as the JSON has it; a result's is a link to its keys."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join("null" if each is NoneType else in_words(each) for each in inner)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if origin is tuple and inner[1:] != (...,):
        return f"list of {len(inner)}: {in_words(inner[0])}"
    if origin in (tuple, list) or getattr(origin, "__name__", "") == "Sequence":
        return f"list of {in_words(inner[0])}"
    if origin is not None:
        return f"object of {in_words(inner[-1])} by {in_words(inner[0])}"
    return _WORDS.get(hint) or f"[{title(hint)}](#{title(hint).lower().replace(' ', '-')})"


def title(cls: type) -> str:
    """The class's name; that of `RatingGroups`, which has a namesake, with `of ratings`."""
    return f"{cls.__name__} of ratings" if cls is RatingGroups else cls.__name__


def results() -> dict[type, list[str]]:
    """Every class of results that is printed, with where it stands, in the order in which it is met."""
    found: dict[type, list[str]] = {}
    for root, where in ROOTS.items():
        _walk(root, "" if root is Analysis else where.strip("`") + ".", where, found)
    for name, cls in further().items():
        _walk(cls, f"studies[].{name}.", f"`studies[].{name}`", found)
    return found


def _walk(cls: type, prefix: str, where: str, found: dict[type, list[str]]) -> None:
    is_new = cls not in found
    found.setdefault(cls, []).append(where)
    if not is_new:
        return
    for each in fields(cls):
        hint = hints(cls)[each.name]
        for inner in _classes(hint):
            many = "[]" if "list of" in in_words(hint) else ""
            name = "" if each.metadata.get("flat") else f"{each.metadata.get('key', each.name)}{many}."
            path = _MOVED.get(f"{prefix}{name}", f"{prefix}{name}")
            _walk(inner, path, f"`{path.removesuffix('.')}`", found)


def _classes(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for inner in get_args(hint):
        yield from _classes(inner)


def flat_in(cls: type) -> list[type]:
    """The results whose keys stand among those of this one."""
    return [hints(cls)[each.name] for each in fields(cls) if each.metadata.get("flat")]


def reference() -> str:
    return "\n".join(line for cls, places in results().items() for line in _section(cls, places))


def _section(cls: type, places: list[str]) -> Iterator[str]:
    yield f"### {title(cls)}\n"
    shown = places[:3]
    yield from textwrap.wrap(f"At {', '.join(shown)}{' and elsewhere' if places[3:] else ''}.", WIDTH)
    yield ""
    for part in (
        inspect.cleandoc(cls.__doc__ or "")
        .replace("``", "`")
        .replace("]_ [", "], [")
        .replace("]_", "]")
        .split("\n\n")
    ):
        yield from textwrap.wrap(
            " ".join(part.split()), WIDTH, break_long_words=False, break_on_hyphens=False
        )
        yield ""
    yield "| key | type | meaning |\n|---|---|---|"
    inner = {key.name: (each, n) for each in flat_in(cls) for n, key in enumerate(keys_of(each))}
    for key in keys_of(cls):
        if key.name not in inner:
            yield f"| `{key.name}` | {key.type} | {key.meaning} |"
        elif inner[key.name][1] == 0:
            yield f"| `{key.name}`, ... | | the keys of {in_words(inner[key.name][0])} |"
    yield ""


def main() -> None:
    write_part(PAGE, MAKER, reference())


if __name__ == "__main__":
    main()
