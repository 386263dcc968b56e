"""The card of a trained judge: its description, training data, accuracy and limits of use."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, get_args

from analysis.errors import AnalysisError
from analysis.learning.catalogue import NETWORKS
from analysis.learning.examples import Example, counted
from analysis.learning.logged import FULL
from analysis.learning.networks import By, Kind, Optimiser, Parameters, Reads, Settings, shapes
from analysis.learning.training import Trained
from analysis.learning.weights import Shapes
from analysis.results import plain

FORMAT = "likely-human trained judge 1"
NOT_FOR = (
    "Not a measure of what people perceive: it learnt who made a clip, not what anybody saw in it. Do not use it as a "
    "reward: what is trained against it learns its faults (the authors of the paper advise against it as well)"
)
BY: Mapping[By, str] = {"share": "share of windows", "mean-logit": "mean logit of windows"}
_READS = {
    "positions": "positions (x, y, z)",
    "turn-speed": "turn rate and speed",
    "top-down": "the whole path as an image from above",
    "frames": "frames of 80 x 50 pixels",
    "bar-code": "the mean line of each frame, 80 pixels",
}
_OPTIMISERS = {"adam": "Adam", "sgd": "SGD with momentum 0.9"}
_FILE = re.compile(r"[0-9a-f]{64}\.safetensors")
_LONGEST = 4_000_000
_MOST_COPIES = 20
_VIEW = ("x", "y", "SD of x", "SD of y")
_NAMES = {field.name for field in fields(Settings)}
_LIMITS = {"rate_hz": 1000, "window": 10_000, "hidden": 1024, "epochs": 10**6, "batch": 10**6,
           "features": 100_000}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """The clips' origin, as described by the person who trains; `is_simulated` if the people are."""

    on: str
    is_simulated: bool
    licence: str
    made_at: datetime
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The parts of a card that a judge needs: the copies' settings, the file of weights, the clips seen by each copy;
    and the file, with its `sha256`, of the pretrained network, if any.
    """

    name: str
    title: str
    origin: str
    by: By
    settings: tuple[Settings, ...]
    file: str
    digest: str
    seen: Mapping[str, frozenset[int]]
    features: Mapping[str, Any] | None = None

    @property
    def version(self) -> str:
        """Names the weights."""
        return f"1+{self.digest[:12]}"


def together(copies: Sequence[Parameters]) -> Parameters:
    """The arrays of all copies under names of one file: `1/mean`, `1/sd`, ..."""
    return {
        f"{number}/{name}": values for number, found in enumerate(copies, 1) for name, values in found.items()
    }


def apart(found: Parameters, n_copies: int) -> tuple[Parameters, ...]:
    """The other way round."""
    return tuple(
        {name.split("/", 1)[1]: values for name, values in found.items() if name.startswith(f"{number}/")}
        for number in range(1, n_copies + 1)
    )


def wanted(settings: Sequence[Settings]) -> Shapes:
    return {
        f"{number}/{name}": shape
        for number, each in enumerate(settings, 1)
        for name, shape in shapes(each).items()
    }


def card_of(
    trained: Trained,
    examples: Sequence[Example],
    data: str,
    origin: Origin,
    file: str,
    digest: str,
    features: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The card as JSON values. `examples` are the clips in the order that was trained on; `features` describes the
    network, trained elsewhere, through which it looks."""
    network, evaluation = trained.network, trained.evaluation
    return {
        "format": FORMAT,
        "name": network.name,
        "title": network.title,
        "origin": network.origin,
        "by": network.by,
        "version": f"1+{digest[:12]}",
        "made_at": origin.made_at.isoformat(timespec="seconds"),
        "weights": {"file": file, "digest": digest},
        "people": "simulated: no person made these paths" if origin.is_simulated else "real, as the data say",
        "classes": ["agent", "human"],
        "copies": [
            {
                **asdict(copy.settings),
                "settings_tried": copy.n_tried,
                "clips_seen": len(copy.seen),
                "clips_right_by_epoch": list(copy.by_epoch),
            }
            for copy in trained.copies
        ],
        "data": {
            "on": origin.on,
            "sha256": data,
            "licence": origin.licence or "not stated",
            "contents": [
                {
                    "sha256": example.content,
                    "files": sorted(example.files - {example.content}),
                    "copies": [
                        n for n, copy in enumerate(trained.copies, 1) if row in set(copy.seen.tolist())
                    ],
                }
                for row, example in sorted(enumerate(examples), key=lambda each: each[1].content)
            ],
        },
        "split": {
            "seed": trained.seed,
            "folds": len(trained.splits.folds),
            "never_on_both_sides": list(trained.splits.by),
            "groups": trained.splits.n_groups,
            "note": trained.splits.note,
        },
        "evaluation": evaluation.to_dict(),
        "leaks": [plain(check) for check in trained.leaks],
        "allowed": list(trained.allowed),
        "versions": dict(origin.versions),
        "intended_use": "To compare clips of navigation as the data above hold them",
        "not_for": NOT_FOR,
        "features": None if features is None else dict(features),
    }


def loaded_card(text: str, origin: str) -> Loaded:
    """The parts of a card that a judge needs. Raises AnalysisError for any other file, or invalid values."""
    if len(text) > _LONGEST:
        raise AnalysisError(f"{origin}: is too long for a card")
    try:
        card = json.loads(text)
    except (ValueError, RecursionError):
        raise AnalysisError(f"{origin}: is not JSON") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise AnalysisError(f"{origin}: is no card of a trained judge (format {FORMAT!r})")
    try:
        found = Loaded(
            str(card["name"]),
            str(card["title"]),
            str(card["origin"]),
            _by(card),
            tuple(_settings(copy) for copy in card["copies"]),
            str(card["weights"]["file"]),
            str(card["weights"]["digest"]),
            _seen(card["data"]["contents"]),
            _features(card),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AnalysisError(f"{origin}: is not a whole card ({type(error).__name__}: {error})") from None
    if found.name not in NETWORKS:
        raise AnalysisError(
            f"{origin}: is of the network {found.name[:80]!r}; known are {', '.join(NETWORKS)}"
        )
    if not 1 <= len(found.settings) <= _MOST_COPIES:
        raise AnalysisError(f"{origin}: has {len(found.settings)} copies; allowed are 1 to {_MOST_COPIES}")
    # A hash and no path: a card cannot name a file of another folder.
    if not _FILE.fullmatch(found.file):
        raise AnalysisError(
            f"{origin}: names the weights {found.file[:80]!r}; their file is named by its hash"
        )
    return found


def _seen(contents: Sequence[Mapping[str, Any]]) -> Mapping[str, frozenset[int]]:
    """The copies trained on each clip, by the hash of any of its files."""
    found: dict[str, frozenset[int]] = {}
    for each in contents:
        copies = frozenset(int(copy) for copy in each["copies"])
        for sha in (each["sha256"], *each.get("files", ())):
            found[str(sha)] = found.get(str(sha), frozenset()) | copies
    return found


def _features(card: Mapping[str, Any]) -> Mapping[str, Any] | None:
    known = card.get("features")
    if known is not None:
        known = {"file": str(known["file"]), "sha256": str(known["sha256"])}
    if any(bool(copy.get("features")) != bool(known) for copy in card["copies"]):
        raise ValueError("features of no network, or a network without features")
    return known


def _by(card: Mapping[str, Any]) -> By:
    for by in BY:
        if card["by"] == by:
            return by
    raise ValueError("by what windows are counted is not known")


def _settings(copy: Mapping[str, Any]) -> Settings:
    # What cards from before these settings mean by leaving them out.
    before: dict[str, Any] = {
        "optimiser": "adam", "step_s": 0.0, "decimals": FULL, "features": 0, "view_m": (),
    }  # fmt: skip
    values = before | {name: copy[name] for name in _NAMES if name in copy}
    kinds = values["reads"], values["kind"], values["optimiser"]
    if any(kind not in get_args(known) for kind, known in zip(kinds, (Reads, Kind, Optimiser), strict=True)):
        raise ValueError("a network that is not known")
    if missing := _NAMES - values.keys():
        raise ValueError(f"{min(missing)} is missing")
    for name, most in _LIMITS.items():
        is_whole = name == "rate_hz" and values["reads"] in ("top-down", "bar-code")
        least = 0 if name in ("hidden", "features") or is_whole else 1
        # bool, because True is an int in Python.
        if isinstance(values[name], bool) or not least <= values[name] <= most:
            raise ValueError(f"{name} is {values[name]}; allowed are {least} to {most}")
    for name in ("window", "hidden", "epochs", "batch", "features"):
        if not isinstance(values[name], int):
            raise ValueError(f"{name} is no whole number")
    if not (0 <= values["step_s"] <= 60 and values["decimals"] in range(FULL + 1)):
        raise ValueError("step_s or decimals are out of range")
    if not isinstance(values["by_heading"], bool) or (values["kind"] == "gru" and not values["hidden"]):
        raise ValueError("settings that fit no network")
    values["view_m"] = tuple(float(value) for value in values["view_m"])
    if not all(map(math.isfinite, values["view_m"])) or (
        values["reads"] == "top-down"
        and values["features"]
        and (len(values["view_m"]) != len(_VIEW) or min(values["view_m"][2:]) <= 0)
    ):
        raise ValueError("view_m is no middle and reach")
    return Settings(**values)


def markdown(card: Mapping[str, Any]) -> str:
    """The card for people to read."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: Mapping[str, Any]) -> list[str]:
    first, evaluation, data = card["copies"][0], card["evaluation"], card["data"]
    lines = [
        f"# {card['name']}: {card['title']}",
        "",
        f"{card['origin']}.",
        "",
        f"- Version {card['version']}, made {card['made_at']}",
        f"- Reads {_reading(first)}; "
        f"{len(card['copies'])} copies, {first['hidden']} hidden units, dropout {first['dropout']:g}, "
        f"{counted(first['epochs'], 'epoch')}, batches of {first['batch']}, "
        f"{_OPTIMISERS[first['optimiser']]} {first['rate']:g}; "
        f"{counted(first['settings_tried'], 'setting')} tried for each copy",
        *_looking(card.get("features")),
        f"- People in the data: {card['people']}",
        f"- Data: {data['on']}, {len(data['contents'])} clips, SHA-256 {data['sha256']}; licence: {data['licence']}",
        f"- Folds: {card['split']['folds']}, seed {card['split']['seed']}; never on both sides: "
        f"{', '.join(card['split']['never_on_both_sides'])} ({card['split']['groups']} groups)",
        *(
            [f"- {card['split']['note'][:1].upper()}{card['split']['note'][1:]}"]
            if card["split"]["note"]
            else []
        ),
        "",
        "## On clips that a copy never saw",
        "",
        f"| | pairs | tied | person's clip chosen by {BY[card['by']]} | by mean logit | clips | single clips right |",
        "|---|---|---|---|---|---|---|",
        *(_row(f"copy {number}", each) for number, each in enumerate(evaluation["copies"], 1)),
        _row("all copies", evaluation["pooled"]),
    ]
    for agent in evaluation["agents"]:
        lines.append(_row(f"against {agent['source']}", agent["seen"]))
        if agent["unseen"]:
            lines.append(_row(f"against {agent['source']}, not seen in training", agent["unseen"]))
    lines += [
        _row("null: trained on labels dealt anew", evaluation["null"]),
        "",
        f"Mean over copies {_number(evaluation['mean'])}, SD {_number(evaluation['sd_ddof0'])} (divides by n); "
        f"{_interval(evaluation['interval'])}. Pairs and single clips are different numbers. High accuracy here is "
        "identity, not agreement with people: hold the verdicts against votes.",
        "",
        *_over_epochs(card["copies"]),
        "## Beside it, on the same pairs",
        "",
        *(_baseline(each) for each in card.get("baselines", ())),
        *_unbeaten(card.get("baselines", ())),
        "",
        "## Leaks looked for",
        "",
        *(
            f"- {'FOUND, allowed' if leak['found'] else 'not found'}: {leak['name']}. {leak['says']}"
            for leak in card["leaks"]
        ),
        "",
        "## Use",
        "",
        f"{card['intended_use']}. {card['not_for']}.",
        "",
        f"Made with {', '.join(f'{name} {version}' for name, version in card['versions'].items())}.",
    ]
    return lines


def _reading(settings: Mapping[str, Any]) -> str:
    if not settings["rate_hz"]:
        return f"{_READS[settings['reads']]}, {settings['window']} moments of it"
    return (
        f"{_READS[settings['reads']]} at {settings['rate_hz']:g} Hz, windows of {settings['window']} samples"
    )


def _looking(features: Mapping[str, Any] | None) -> list[str]:
    if features is None:
        return []
    return [
        f"- Looks through {features['file']}, SHA-256 {features['sha256']}, whose licence, and whether it saw these "
        f"clips, are its owner's to say: {features['n']} features of pictures of {features['width']} x "
        f"{features['height']}. It stays as it is; what comes after it was trained"
    ]


def _over_epochs(copies: Sequence[Mapping[str, Any]]) -> list[str]:
    curves = [copy["clips_right_by_epoch"] for copy in copies if copy.get("clips_right_by_epoch")]
    if not curves:
        return []
    means = [sum(values) / len(values) for values in zip(*curves, strict=True)]
    best = max(range(len(means)), key=lambda epoch: means[epoch])
    return [
        f"Single clips right over epochs, mean of the copies: {means[0]:.3f} after the first, {means[-1]:.3f} after "
        f"the last, most after epoch {best + 1} ({means[best]:.3f}). The weights are those of the last: an epoch "
        "chosen by these clips would flatter. Drawn in learning.svg and learning.png.",
        "",
    ]


def _row(name: str, held: Mapping[str, Any]) -> str:
    numbers = (_number(held["pairs"]), _number(held["pairs_by_logit"]))
    clips = f"{held['n_clips']} | {_number(held['clips'])}" if held["n_clips"] else "|"
    return f"| {name} | {held['n_pairs']} | {held['n_tied']} | {numbers[0]} | {numbers[1]} | {clips} |"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(interval: Mapping[str, Any]) -> str:
    if interval["low"] is None:
        return f"no interval: {interval['reason']}"
    return f"95% interval, for other players and versions of agents, {interval['low']:.3f} to {interval['high']:.3f}"


def _unbeaten(baselines: Sequence[Mapping[str, Any]]) -> list[str]:
    names = [each["name"] for each in baselines if each["is_beaten"] is False]
    if not names:
        return []
    return ["", f"**Not better than {'; '.join(names)}**: what needs no network does as well on these pairs."]


def _baseline(each: Mapping[str, Any]) -> str:
    n = f"{each['n_pairs']} pairs"
    beats = "" if each["is_beaten"] is None else (", beaten" if each["is_beaten"] else ", NOT beaten")
    return f"- {each['name']}: {_number(each['pairs'])} of {n}{beats}"
