"""The tables of exclusion rules in docs/data-quality.md, made from the registry: `python -m tools.exclusion_rules`."""

import textwrap
from pathlib import Path

from analysis.quality.registry import DEFAULT, RULES
from analysis.quality.rules import Parameter, Rule
from tools.made import write_part
from tools.wrap_markdown import WIDTH

PAGE = Path(__file__).parents[1] / "docs" / "data-quality.md"
MAKER = "tools/exclusion_rules.py"


def listed() -> str:
    """Each rule with its meaning, its parameters, and the verdicts that `exclude: default` gives it."""
    return "\n".join(line for rule in RULES.values() for line in _rule(rule)) + "\n"


def _rule(rule: Rule) -> list[str]:
    bounds = "; ".join(_bound(each) for each in rule.parameters)
    given = f" Bounds: {bounds}." if bounds else ""
    text = f"- `{rule.name}`: **{rule.title}**. {rule.meaning}{given} {_default(rule)}"
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _bound(parameter: Parameter) -> str:
    default = "none" if parameter.default is None else f"{parameter.default:g} {parameter.unit}".strip()
    return f"`{parameter.name}` ({parameter.title.lower()}; {default})"


def _default(rule: Rule) -> str:
    chosen = next((each for each in DEFAULT if each.rule == rule.name), None)
    if rule.flag_only:
        return "A remark alone: it excludes nobody."
    if chosen is None:
        return "Not among the default rules."
    return "By default: remarked." if chosen.use else "By default: not used."


def main() -> None:
    write_part(PAGE, MAKER, listed())


if __name__ == "__main__":
    main()
