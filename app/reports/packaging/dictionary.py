"""The data dictionary of a package: every column of every table, for people (CSV) and for programs (JSON)."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.reports.packaging.tables import Table

HEAD = ("table", "column", "type", "unit", "meaning", "allowed", "minimum", "maximum", "required")


def dictionary_rows(tables: Sequence[Table]) -> Iterator[dict[str, Any]]:
    """One row per column; `allowed` lists the only values of a column that has few."""
    for table in tables:
        for column in table.columns:
            yield {
                "table": table.name,
                "column": column.name,
                "type": column.type,
                "unit": column.unit,
                "meaning": column.meaning,
                "allowed": "|".join(column.allowed),
                "minimum": column.minimum,
                "maximum": column.maximum,
                "required": column.required,
            }


def dictionary(tables: Sequence[Table]) -> dict[str, Any]:
    """The dictionary by table, with the meaning of a row and the path."""
    rows = list(dictionary_rows(tables))
    return {
        table.name: {
            "path": table.path,
            "row": table.row_is,
            "key": list(table.key),
            "columns": [_without_table(row) for row in rows if row["table"] == table.name],
        }
        for table in tables
    }


def _without_table(row: dict[str, Any]) -> dict[str, Any]:
    allowed = row["allowed"].split("|") if row["allowed"] else []
    return {**{name: value for name, value in row.items() if name != "table"}, "allowed": allowed}
