"""The key `exclude` of a study file: rules of `analysis.quality` with their bounds and two verdicts, pay and use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import BeforeValidator, Discriminator, Field, Tag, create_model
from pydantic.config import JsonDict

from analysis.quality.registry import DEFAULT, RULES
from analysis.quality.rules import ChosenRule, Parameter, Rule
from app.core.problems import Fault, quoted
from app.core.widgets import Widget
from app.questions.base import Frozen, Part, rule_error
from app.trials.tidying import number, section, stripped, yes_or_no

TAKEN = "default"
"""In place of the rules, or among them: the default rules, but for those that are named themselves."""
TAG = "rule"
_SHARED = frozenset({TAG, "pay", "use"})
_BOUNDS = ("least", "most")


class ExclusionRule(Part):
    """A rule as a study file takes it; each has its own bounds besides."""

    def chosen(self) -> ChosenRule:
        """The rule with all its bounds written out, so that it keeps its meaning if a default changes."""
        keys = self.model_dump()
        bounds = {name: float(n) for name, n in keys.items() if name not in _SHARED and n is not None}
        return ChosenRule(keys[TAG], bounds, use=keys["use"], pay=keys["pay"])


def _field(parameter: Parameter) -> Any:
    kind: Any = int if parameter.is_whole else float
    limits: dict[str, Any] = {"ge": parameter.minimum, "le": parameter.maximum}
    default = None if parameter.default is None else kind(parameter.default)
    return (
        Annotated[kind | None, Widget(unit=_unit(parameter), is_short=True)],
        Field(default=default, title=parameter.title, description=parameter.help, **limits),
    )


def _unit(parameter: Parameter) -> str:
    return "" if parameter.unit in parameter.title.lower() else parameter.unit


def _verdict(rule: Rule, title: str, *, default: bool) -> Any:
    # A rule that decides nothing has nothing to be ticked.
    kind = Annotated[bool, Widget(is_nowhere=rule.flag_only)]
    return kind, Field(default=default, title=title, description="Of a session that meets the rule.")


def _model(rule: Rule) -> type[ExclusionRule]:
    bounds = {each.name: _field(each) for each in rule.parameters}
    verdicts = {
        "use": _verdict(rule, "The answers count in the numbers", default=rule.flag_only),
        "pay": _verdict(rule, "The participant is paid", default=True),
    }
    tag = (Literal[rule.name], Field(title=rule.title, description=rule.meaning))
    fields: dict[str, Any] = {TAG: tag, **bounds, **verdicts}
    return create_model(rule.name, __base__=ExclusionRule, **fields)


MODELS: dict[str, type[ExclusionRule]] = {name: _model(rule) for name, rule in RULES.items()}


def rule_of(entry: object) -> str | None:
    """The rule that an entry names, if any."""
    named = entry.get(TAG) if isinstance(entry, Mapping) else getattr(entry, TAG, None)
    return named.strip() if isinstance(named, str) else None


def written_out(value: object) -> object:
    """The entries of `exclude` with the default rules in place of the word that stands for them."""
    listed = [value] if value == TAKEN else value
    if not isinstance(listed, list | tuple):
        return value
    named = {rule_of(entry) for entry in listed}
    entries: list[object] = []
    for entry in listed:
        entries += (
            [keys_of(each) for each in DEFAULT if each.rule not in named] if entry == TAKEN else [entry]
        )
    return entries


def keys_of(chosen: ChosenRule) -> dict[str, Any]:
    """A rule as a study file writes it, without what is its default."""
    rule = RULES[chosen.rule]
    bounds = {
        each.name: _plain(chosen.bounds[each.name])
        for each in rule.parameters
        if each.name in chosen.bounds and chosen.bounds[each.name] != each.default
    }
    keys = {TAG: chosen.rule, **bounds}
    return (
        keys
        | ({"use": chosen.use} if chosen.use != rule.flag_only else {})
        | ({} if chosen.pay else {"pay": False})
    )


def _plain(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


def _rules_in(value: object) -> object:
    if isinstance(value, str) and value != TAKEN:
        raise rule_error(
            f"exclude: {quoted(value)} is no list of rules", f"write `{TAKEN}`, or a list of rules"
        )
    return written_out(value)


def _or_default(schema: JsonDict) -> None:
    """Say in the JSON Schema that the word stands for a list, or for some of its entries."""
    items: Any = schema.pop("items")
    entry: Any = {"anyOf": [{"const": TAKEN}, items]}
    schema["anyOf"] = [{"const": TAKEN}, {"type": schema.pop("type"), "items": entry}]


if TYPE_CHECKING:
    ExclusionRules = tuple[ExclusionRule, ...]
else:
    _ANY = Annotated[
        Union[tuple(Annotated[model, Tag(name)] for name, model in MODELS.items())],  # noqa: UP007
        Discriminator(rule_of),
    ]
    ExclusionRules = Annotated[
        tuple[_ANY, ...], BeforeValidator(_rules_in), Field(json_schema_extra=_or_default)
    ]


def tidied_rules(value: Any) -> Any:
    """The entries of a draft in the order of their keys, with numbers and booleans as such."""
    listed = written_out(stripped(value))
    if not isinstance(listed, list):
        return listed
    return [section(entry, _order(entry), _TIDIES) for entry in listed]


def _order(entry: object) -> Sequence[str]:
    model = MODELS.get(rule_of(entry) or "")
    return tuple(model.model_fields) if model else (TAG,)


_TIDIES = {
    **{each.name: number for rule in RULES.values() for each in rule.parameters},
    "use": yes_or_no,
    "pay": yes_or_no,
}


def broken_exclusion(raw: Mapping[str, Any]) -> Iterator[Fault]:
    """Rules between the entries of `exclude`, and between the keys of one."""
    listed = written_out(raw.get("exclude"))
    seen: set[str] = set()
    for at, entry in enumerate(listed if isinstance(listed, list) else ()):
        name = rule_of(entry)
        if name not in RULES or not isinstance(entry, Mapping):
            continue
        if name in seen:
            yield Fault(("exclude", at), f"the rule {quoted(name)} comes twice", "keep one of them")
        seen.add(name)
        for verdict in ("use", "pay") if RULES[name].flag_only else ():
            if yes_or_no(entry.get(verdict)) is False:
                message = f"{name} cannot tell surely enough to decide {verdict}"
                yield Fault(("exclude", at, verdict), message, f"remove `{verdict}`; it is shown as a remark")
        least, most = (number(entry.get(key)) for key in _BOUNDS)
        if all(isinstance(bound, int | float) for bound in (least, most)) and least > most:
            message = f"least is {least:g} and most is {most:g}: nothing is between them"
            yield Fault(("exclude", at, "most"), message, f"use {least:g} or more")


class DesignRule(Frozen):
    """An exclusion rule of a version, with all its bounds."""

    rule: str
    bounds: Mapping[str, float] = {}
    pay: bool = True
    use: bool = False

    @property
    def chosen(self) -> ChosenRule:
        return ChosenRule(self.rule, self.bounds, use=self.use, pay=self.pay)


def resolved_rules(rules: Sequence[ExclusionRule]) -> tuple[DesignRule, ...]:
    """The rules of a file as a version has them."""
    chosen = (rule.chosen() for rule in rules)
    return tuple(
        DesignRule(rule=each.rule, bounds=each.bounds, pay=each.pay, use=each.use)  # type: ignore[arg-type]
        for each in chosen
    )


def rules_in_words(rules: Sequence[DesignRule]) -> str:
    """``attention-failed (at_least 2; not used)``, one after the other."""
    return ", ".join(f"{rule.rule} ({'; '.join(_words(rule))})" for rule in rules)


def _words(rule: DesignRule) -> Iterator[str]:
    yield from (f"{name} {bound:g}" for name, bound in rule.bounds.items())
    decided = ["not used"] * (not rule.use) + ["not paid"] * (not rule.pay)
    yield " and ".join(decided) or "a remark alone"


def comparable_rules(value: Any) -> Any:
    """The entries of a draft by their rules, with all bounds; as they are where they are none."""
    if not isinstance(value, list):
        return value
    by_rule: dict[str, Any] = {}
    for n, entry in enumerate(value, start=1):
        model = MODELS.get(rule_of(entry) or "")
        name = rule_of(entry) or f"#{n}"
        if model is None or name in by_rule:
            by_rule[name if name not in by_rule else f"#{n}"] = entry
            continue
        defaults = {key: field.default for key, field in model.model_fields.items() if key != TAG}
        by_rule[name] = {**defaults, **{key: value for key, value in entry.items() if key != TAG}}
    return by_rule
