"""The tables of docs/data-quality.md are those of the registry."""

from tools import exclusion_rules
from tools.made import END, begin


def test_the_page_lists_every_rule_as_the_registry_has_it() -> None:
    made = begin(exclusion_rules.MAKER) + exclusion_rules.listed() + END
    assert made in exclusion_rules.PAGE.read_text(encoding="utf-8"), "run `make made`"
