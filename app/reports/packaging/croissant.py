"""The package as a Croissant dataset: files with their hashes, and record sets over their columns [Akh24]_."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.data.columns import Column, ColumnType
from app.reports.packaging.about import Card
from app.reports.packaging.archive import FileFacts
from app.reports.packaging.tables import Table

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES: Mapping[ColumnType, str] = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "time": "sc:DateTime",
    "json": "sc:Text",
}
# Texts that are whole numbers: where cells are empty, loaders that guess would make 12 into 12.0, and joins would fail.
_WHOLE = frozenset({"session", "trial"})


def croissant(card: Card, tables: Sequence[Table], files: Mapping[str, FileFacts]) -> dict[str, Any]:
    """`croissant.json`; `files` has the size and hash of each table's file, by path."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": card.name,
        "description": card.description,
        "version": card.version,
        "identifier": card.identifier,
        "datePublished": card.made_at.date().isoformat(),
        "license": card.license,
        "citeAs": card.bibtex,
        "keywords": list(card.keywords),
        **(
            {"creator": [{"@type": "sc:Person", "name": name} for name in card.authors]}
            if card.authors
            else {}
        ),
        **({"url": card.url} if card.url else {}),
        "distribution": [_file(table, files[table.path]) for table in tables],
        "recordSet": [_record_set(table) for table in tables],
    }


def _file(table: Table, file: FileFacts) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{table.name}-file",
        "name": table.path.rpartition("/")[2],
        "description": table.row_is,
        "contentUrl": table.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": "text/csv" if table.is_csv else "application/jsonlines",
        "sha256": file.sha256,
    }


def _record_set(table: Table) -> dict[str, Any]:
    key = [{"@id": f"{table.name}/{column}"} for column in table.key]
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.row_is,
        **({"key": key} if key else {}),
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: Table, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": f"{column.meaning} ({column.unit})" if column.unit else column.meaning,
        "dataType": "sc:Integer" if column.name in _WHOLE else _TYPES[column.type],
        "source": {"fileObject": {"@id": f"{table.name}-file"}, "extract": {"column": column.name}},
    }
