"""The card of a judge of votes as Markdown: its training data, its accuracy, and what people seem to look at."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.signs import signed
from analysis.stats.evidence import NOT_YET, evidence_of
from app.judges.models import CURVES


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """The card's lines; `card` is the content of `card.json`."""
    numbers, data = card["evaluation"], card["data"]
    ceilings = numbers["ceilings"]
    lines = [
        f"# {card['name']}: {card['title']}",
        "",
        f"- Version {card['version']}, made {card['made_at']}, seed {card['seed']}",
        f"- Learnt from {numbers['n_votes']} {data['mode']} votes of {numbers['n_people']} people on "
        f"{numbers['n_pairs']} pairs of {data['on']}, clips' SHA-256 {data['sha256']}; licence: {data['licence']}",
        f"- Ridge {numbers['ridge']:g}, chosen among {numbers['n_tried']} within the training pairs",
        *_features_lines(card["features"]),
        *([f"- Warning: {numbers['warning']}"] if numbers["warning"] else []),
        *_deleted_lines(data),
        "",
        "## On pairs whose clips and voters it never saw",
        "",
        "| | pairs | majority named (5 to 95% of repeats) | log loss | Brier |",
        "|---|---|---|---|---|",
        _reached("all pairs", numbers["reached"]),
        _reached("pairs with a truth", numbers["human_agent"]),
        _reached("pairs of agents", numbers["agent_agent"]),
        _reached("pairs of agents, learnt from these alone", numbers["agent_agent_alone"]),
        *(_reached(f"learnt from {point['n']} pairs", point["reached"]) for point in numbers["by_pairs"]),
        *(
            _reached(f"learnt from {point['n']} votes a pair", point["reached"])
            for point in numbers["by_votes"]
        ),
        "",
        f"One person against the others: {_number(ceilings['one_person'])}; one half of the people against the other: "
        f"{_number(ceilings['half'])}; reliability of everybody's shares: {_number(ceilings['reliability'])}. A judge "
        "may exceed one person without being wrong: it has no bad day.",
        "",
        *_untrained_lines(numbers["untrained"]),
        "## What people seem to look at",
        "",
        "Features of a network have no names: their weights, in the file of weights, say nothing to a reader."
        if card["features"]
        else "Weight for one SD of the number, more being chosen, drawn towards 0 by the ridge: no interval holds its "
        "size (bench/calibration.md, rows weights-*). Its sign is by a bootstrap over groups of pairs.",
        "",
    ]
    for weight in numbers["weights"]:
        lines.append(f"- {weight['name']}: {signed(weight['value'])}{_sign_said(weight)}")
        lines += [f"    - written: {reason}" for reason in card["reasons"].get(weight["name"], ())]
    return [*lines, "", "## Use", "", f"{card['not_for']}."]


def _sign_said(weight: Mapping[str, Any]) -> str:
    """The ends of the bootstrap say on which side of 0 a weight lies; how far from it they say too narrowly."""
    match evidence_of(weight["low"], weight["high"], smallest=0.0):
        case "more":
            return ", above 0"
        case "less":
            return ", below 0"
    return f"; whether above or below 0 {NOT_YET}"


def _deleted_lines(data: Mapping[str, Any]) -> list[str]:
    deleted = data.get("deleted")
    if not deleted:
        return []
    why = f" It was not trained anew: {deleted['why']}." if deleted["why"] else ""
    return [
        f"- Warning: {sum(deleted['answers'].values())} answers of {data['on']} were deleted since it was trained, as "
        f"people withdrew; it may have learnt from them.{why}"
    ]


def _untrained_lines(untrained: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [
        f"{each['name']} {each['label_accuracy']:.3f} of {each['n_pairs']} pairs"
        for each in untrained
        if each["label_accuracy"] is not None
    ]
    said = (
        f"Judges that were not trained name the same halves' majorities in: {', '.join(found)}."
        if found
        else ""
    )
    return [*([said, ""] if said else []), f"The learning curve is drawn in {' and '.join(CURVES)}.", ""]


def _features_lines(features: Mapping[str, Any] | None) -> list[str]:
    if features is None:
        return []
    return [
        f"- Reads {features['n']} features by {features['file']}, SHA-256 {features['sha256']}, whose licence is its "
        f"owner's: mean over {features['frames']} frames of {features['width']} x {features['height']} pixels at equal "
        "steps, colours from 0 to 1 (to 255 where its input is bytes); each divided by its SD"
    ]


def _reached(name: str, found: Mapping[str, Any]) -> str:
    if found["label_accuracy"] is None:
        return f"| {name} | {found['n_pairs']} | too few | | |"
    spread = f"{found['label_accuracy']:.3f} ({found['low']:.3f} to {found['high']:.3f})"
    return f"| {name} | {found['n_pairs']} | {spread} | {found['log_loss']:.3f} | {found['brier']:.3f} |"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
