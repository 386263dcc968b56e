"""Judges of single items held against people's ratings or classes of them; called by the command and by notebooks.

from analysis.judging.items import read_item_verdicts, render_items, validate_items
ratings = read_ratings("ratings.csv", "map.yaml")
print(render_items(validate_items(ratings, read_item_verdicts("judge.csv"))))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.judging.items.studies import BlockValidation, validate_rating_rows
    from analysis.judging.items.text import render_block_validations, render_items
    from analysis.judging.items.validation import ItemJudge, ItemMeasure, ItemValidation, validate_items
    from analysis.judging.items.verdicts import check_item_verdicts, read_item_verdicts

# Loaded at first use, as in `analysis`.
_HOMES = {
    "studies": ["BlockValidation", "validate_rating_rows"],
    "text": ["render_block_validations", "render_items"],
    "validation": ["ItemJudge", "ItemMeasure", "ItemValidation", "validate_items"],
    "verdicts": ["check_item_verdicts", "read_item_verdicts"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BlockValidation",
    "ItemJudge",
    "ItemMeasure",
    "ItemValidation",
    "check_item_verdicts",
    "read_item_verdicts",
    "render_block_validations",
    "render_items",
    "validate_items",
    "validate_rating_rows",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'analysis.judging.items' has no attribute {name!r}")
    value = getattr(import_module(f"analysis.judging.items.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
