"""The package as a Frictionless data package: a resource for every table, with its schema if it is CSV [WP17]_."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.data.columns import Column, ColumnType
from app.reports.packaging.about import NO_LICENSE, Card
from app.reports.packaging.archive import FileFacts
from app.reports.packaging.tables import Table

_TYPES: Mapping[ColumnType, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "time": "datetime",
    "json": "any",
}
_JSON_TYPES = {
    "background": "object",
    "device": "object",
    "recruiter": "object",
    "played": "array",
    "errors": "array",
    "flags": "array",
}
_DIALECT = {"delimiter": ",", "quoteChar": '"', "doubleQuote": True, "lineTerminator": "\n", "header": True}


def datapackage(card: Card, tables: Sequence[Table], files: Mapping[str, FileFacts]) -> dict[str, Any]:
    """`datapackage.json`; `files` has the size and hash of each table's file, by path."""
    return {
        "profile": "data-package",
        "name": card.slug,
        "title": card.name,
        "description": card.description,
        "id": card.identifier,
        "version": card.version,
        "created": card.made_at.isoformat(timespec="seconds"),
        "keywords": list(card.keywords),
        **_licenses(card),
        **(
            {"contributors": [{"title": name, "role": "author"} for name in card.authors]}
            if card.authors
            else {}
        ),
        **({"homepage": card.url} if card.url else {}),
        "resources": [_resource(table, files[table.path]) for table in tables],
    }


def _licenses(card: Card) -> dict[str, Any]:
    if card.license == NO_LICENSE:
        return {}
    key = "path" if card.license.startswith(("http://", "https://")) else "name"
    return {"licenses": [{key: card.license}]}


def _resource(table: Table, file: FileFacts) -> dict[str, Any]:
    resource = {
        "name": table.name,
        "path": table.path,
        "description": table.row_is,
        "encoding": "utf-8",
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
    }
    if not table.is_csv:
        # A file to the tool: without an extra part of it, it reads no JSON lines.
        return {**resource, "type": "file", "format": "jsonl", "mediatype": "application/jsonl"}
    form = {"profile": "tabular-data-resource", "format": "csv", "mediatype": "text/csv", "dialect": _DIALECT}
    return {**resource, **form, "schema": _schema(table)}


def _schema(table: Table) -> dict[str, Any]:
    keys = [
        {"fields": [one.column], "reference": {"resource": one.table, "fields": [one.column]}}
        for one in table.references
    ]
    return {
        "fields": [_field(column) for column in table.columns],
        "missingValues": [""],
        **({"primaryKey": list(table.key)} if table.key else {}),
        **({"foreignKeys": keys} if keys else {}),
    }


def _field(column: Column) -> dict[str, Any]:
    constraints = {
        "required": column.required or None,
        "enum": list(column.allowed) or None,
        "minimum": column.minimum,
        "maximum": column.maximum,
    }
    given = {key: value for key, value in constraints.items() if value is not None}
    return {
        "name": column.name,
        "type": _JSON_TYPES.get(column.name, "any") if column.type == "json" else _TYPES[column.type],
        "description": f"{column.meaning} ({column.unit})" if column.unit else column.meaning,
        **({"constraints": given} if given else {}),
    }
