"""Choices of the form's fields: conditions, arms, measures and sources that the study has."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.admin.design.nodes import Cards
from app.admin.design.outline import tag_of
from app.admin.design.values import Keys, entries, shown, value_at
from app.admin.design.views import Options
from app.studies.file.comparable import as_blocks, blocks_in
from app.studies.file.exclusion import TAG, TAKEN, rule_of
from app.studies.file.hypotheses import ALL, CHANCE, OF_PAIRS, SHARES
from app.studies.file.rules import about_items, ends_in, measures_in
from app.trials.stimuli import StimulusFacts, own_of

_CHOICE = "2afc"
_MEASURES = {
    "accuracy": "Accuracy: the share of right answers",
    "uncertainty": "Uncertainty: the mean of the answers",
    "preference": "Preference: how often a source is chosen",
}


@dataclass(frozen=True, slots=True)
class Known:
    """Facts of a study besides its keys: conditions and groups of its units, and sources of its own stimuli."""

    groups: Sequence[str] = ()
    sources: Sequence[str] = ()


def known_of(groups: Sequence[str], stimuli: Mapping[str, StimulusFacts]) -> Known:
    return Known(groups, sorted({facts.source for facts in own_of(stimuli).values() if facts.source}))


def choices(of: str, keys: Mapping[str, Any], known: Known, at: object) -> Options:
    """The choices of a field, by what it is chosen from; `at` is the last part of its place."""
    match of:
        case "groups":
            edge = (CHANCE, "Chance, one half") if at == 1 else (ALL, "All main trials")
            return [edge, *((name, name) for name in conditions(keys, known)), *_arms(keys)]
        case "measures":
            asked, has_pairs = measures_in(keys)
            of_pairs = [(name, _MEASURES[name]) for name in (OF_PAIRS if has_pairs else ())]
            return [*of_pairs, *_asked(keys, [*asked])]
        case "means":
            of_pairs = [(name, _MEASURES[name]) for name in (SHARES if measures_in(keys)[1] else ())]
            return [
                *of_pairs,
                *_asked(keys, [id_ for id_, ends in ends_in(keys).items() if None not in ends[0]]),
            ]
        case "sources":
            return [("", "None"), *((name, name) for name in known.sources)]
    return ()


def _asked(keys: Mapping[str, Any], ids: Sequence[str]) -> Options:
    """Questions about items, with their words."""
    questions = about_items(keys)
    return [(id_, f"{id_}: {_short(questions[id_].get('ask'))}") for id_ in ids]


def conditions(keys: Mapping[str, Any], known: Known) -> Sequence[str]:
    """Conditions and groups: of the units as they are drawn or listed, or of the draw as it is asked for."""
    asked: list[str] = []
    for block in blocks_in(as_blocks(keys)):
        drawn = value_at(block, ("sample", "conditions"))
        asked += [str(name) for name in drawn] if isinstance(drawn, Mapping) else []
    return list(dict.fromkeys((*known.groups, *sorted(asked))))


def _arms(keys: Keys | Mapping[str, Any]) -> Options:
    ids = [shown(value_at(arm, ("id",))) for arm in entries(keys, ("arms",))]
    return [(id_, f"Arm {id_}") for id_ in ids if id_]


def _short(text: object) -> str:
    """A question's words, cut where they are long."""
    words = " ".join(shown(text).split()) or "no words yet"
    return words if len(words) <= 60 else f"{words[:59]}…"


def types_of(cards: Cards, entry: Any) -> Options:
    """The types that an entry may have: one question of a trial alone is the choice between the clips."""
    others = [each.value for each in cards.entries if each.value is not entry]
    if cards.tag == TAG:
        return _rules(cards, {rule_of(other) for other in others}, is_new=entry is None)
    is_taken = any(tag_of(other, cards.tag) == _CHOICE for other in others)
    return [
        (name, str(model.model_fields[cards.tag].title or name))
        for name, model in sorted(cards.variants.items(), key=lambda each: each[0] != _CHOICE)
        if not (name == _CHOICE and is_taken)
    ]


def _rules(cards: Cards, taken: Collection[str | None], *, is_new: bool) -> Options:
    """The exclusion rules that no other entry has; a new one may stand for all default rules."""
    own = [
        (name, str(model.model_fields[TAG].title))
        for name, model in cards.variants.items()
        if name not in taken
    ]
    return [(TAKEN, "The default rules"), *own] if is_new else own
