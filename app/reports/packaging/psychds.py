"""The package as a Psych-DS dataset: one description of all, and one for each data file [KS25]_."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.data.columns import Column
from app.reports.packaging.about import Card
from app.reports.packaging.tables import Table

SCHEMA_VERSION = "Psych-DS 1.5.1"
_CONTEXT = {"@context": "https://schema.org/", "@type": "Dataset"}

# What its validator need not look at: descriptions in other formats, which it knows nothing of.
IGNORE_FILE = ".psychds-ignore"
IGNORED = ("SHA256SUMS", "croissant.json", "datapackage.json", IGNORE_FILE)


def dataset_description(card: Card, tables: Sequence[Table]) -> dict[str, Any]:
    """`dataset_description.json`: schema.org's Dataset, with every column of every data file."""
    return {
        **_CONTEXT,
        "name": card.name,
        "description": card.description,
        "schemaVersion": SCHEMA_VERSION,
        "version": card.version,
        "identifier": card.identifier,
        "citation": card.citation,
        "license": card.license,
        "keywords": list(card.keywords),
        "dateCreated": card.made_at.date().isoformat(),
        **({"author": [{"@type": "Person", "name": name} for name in card.authors]} if card.authors else {}),
        **({"url": card.url} if card.url else {}),
        "variableMeasured": _variables(tables),
    }


def sidecar(card: Card, table: Table) -> dict[str, Any]:
    """The description of one data file: for that file, it replaces the dataset's."""
    return {
        **_CONTEXT,
        "name": f"{card.name}: {table.name}",
        "description": table.row_is,
        "variableMeasured": [_variable(column, column.meaning) for column in table.columns],
    }


def _variables(tables: Iterable[Table]) -> list[dict[str, Any]]:
    """Each column once; where tables mean different things by a name, its description says which means what."""
    first: dict[str, Column] = {}
    meanings: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for column in table.columns:
            first.setdefault(column.name, column)
            meanings.setdefault(column.name, {}).setdefault(column.meaning, []).append(table.name)
    return [_variable(column, _meaning(meanings[name])) for name, column in first.items()]


def _meaning(meanings: Mapping[str, Sequence[str]]) -> str:
    if len(meanings) == 1:
        return next(iter(meanings))
    return "; ".join(f"in {', '.join(tables)}: {meaning}" for meaning, tables in meanings.items())


def _variable(column: Column, meaning: str) -> dict[str, Any]:
    optional = {
        "unitText": column.unit,
        "valuePattern": "|".join(column.allowed),
        "minValue": column.minimum,
        "maxValue": column.maximum,
    }
    return {
        "@type": "PropertyValue",
        "name": column.name,
        "description": meaning,
        **{key: value for key, value in optional.items() if value not in ("", None)},
    }
