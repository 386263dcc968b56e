"""The API's OpenAPI document as something to read: by part, one operation after the other."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
_EXAMPLES: Mapping[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body."""

    name: str
    place: str
    type: str
    is_required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of an operation: its `type` in a few words; `fields` of the object, or of each object in a list."""

    status: str
    about: str
    type: str
    fields: Sequence[Field] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: Sequence[Field]
    body: str
    fields: Sequence[Field]
    replies: Sequence[Reply]
    curl: str


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    operations: Sequence[Operation]


def tags_of(document: Mapping[str, Any], base: str) -> Sequence[Tag]:
    """Every operation under its first tag, in the document's order; `base` is the API's whole address."""
    by_tag: dict[str, list[Operation]] = {}
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                tag = (item[method].get("tags") or ["other"])[0]
                by_tag.setdefault(tag, []).append(_operation(document, base, method, path, item[method]))
    return [Tag(name, operations) for name, operations in by_tag.items()]


def refusals_of(document: Mapping[str, Any]) -> Sequence[Reply]:
    """The error replies, the same for all operations, so that they are described once."""
    found: dict[str, Reply] = {}
    for item in document["paths"].values():
        for method in METHODS:
            for status, spec in item.get(method, {}).get("responses", {}).items():
                if status >= "400":
                    found.setdefault(status, Reply(status, spec.get("description", ""), ""))
    return [found[status] for status in sorted(found)]


def _operation(
    document: Mapping[str, Any], base: str, method: str, path: str, spec: Mapping[str, Any]
) -> Operation:
    content: Mapping[str, Any] = spec.get("requestBody", {}).get("content", {})
    body_type = next(iter(content), "")
    schema = content[body_type].get("schema", {}) if body_type else {}
    return Operation(
        id=spec["operationId"],
        method=method.upper(),
        path=path,
        summary=spec.get("summary", ""),
        about=spec.get("description", ""),
        parameters=[_parameter(document, each) for each in spec.get("parameters", [])],
        body=body_type,
        fields=list(_fields(document, schema)),
        replies=[_reply(document, *each) for each in spec["responses"].items() if each[0] < "300"],
        curl=_curl(document, base, method, path, body_type, schema),
    )


def _parameter(document: Mapping[str, Any], spec: Mapping[str, Any]) -> Field:
    about = spec.get("description", "")
    schema = spec.get("schema", {})
    return Field(spec["name"], spec["in"], type_of(document, schema), spec.get("required", False), about)


def _fields(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Field]:
    model = _resolved(document, schema)
    required = model.get("required", [])
    for name, each in model.get("properties", {}).items():
        yield Field(name, "body", type_of(document, each), name in required, each.get("description", ""))


def _reply(document: Mapping[str, Any], status: str, spec: Mapping[str, Any]) -> Reply:
    content: Mapping[str, Any] = spec.get("content", {})
    kind = next(iter(content), "")
    if not kind:
        return Reply(status, spec.get("description", ""), "nothing")
    if kind != "application/json":
        return Reply(status, spec.get("description", ""), kind)
    schema = content[kind].get("schema", {})
    each = schema.get("items", schema)
    about = spec.get("description", "")
    return Reply(status, about, type_of(document, schema), list(_fields(document, each)))


def type_of(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A schema in a few words: `integer, at least 1`, `list of Job`, `owner | editor | viewer`."""
    if "$ref" in schema:
        model = _resolved(document, schema)
        return type_of(document, model) if "enum" in model else str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(type_of(document, each) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return f"list of {type_of(document, schema.get('items', {}))}"
    return ", ".join([str(schema.get("type", "anything")), *_bounds(schema)])


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    if "format" in schema:
        yield str(schema["format"])
    for key, words in (
        ("minimum", "at least {}"),
        ("exclusiveMinimum", "more than {}"),
        ("maximum", "at most {}"),
        ("exclusiveMaximum", "less than {}"),
        ("minLength", "at least {} characters"),
        ("maxLength", "at most {} characters"),
    ):
        # Bounds of the database's integers say nothing to a reader.
        if key in schema and not (key.endswith("imum") and abs(schema[key]) >= 2**31 - 1):
            yield words.format(schema[key])


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]  # type: ignore[no-any-return]


def _curl(
    document: Mapping[str, Any], base: str, method: str, path: str, body: str, schema: Mapping[str, Any]
) -> str:
    lines = ["curl" + ("" if method == "get" else f" -X {method.upper()}")]
    lines.append('-H "Authorization: Bearer $TOKEN"')
    if body == "application/json":
        example = json.dumps(_example(document, schema), ensure_ascii=False)
        lines += ["-H 'Content-Type: application/json'", f"-d '{example}'"]
    elif body == "multipart/form-data":
        lines += [f"-F {field.name}=@FILE" for field in _fields(document, schema)]
    elif body:
        lines += [f"-H 'Content-Type: {body}'", "--data-binary @FILE"]
    return " \\\n  ".join([*lines, f"'{base}{path}'"])


def _example(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    model = _resolved(document, schema)
    for key in ("example", "default", "const"):
        if model.get(key) is not None:
            return model[key]
    if "enum" in model:
        return model["enum"][0]
    if "anyOf" in model:
        return _example(document, model["anyOf"][0])
    if "properties" in model:
        wanted = model.get("required") or model["properties"]
        return {name: _example(document, model["properties"][name]) for name in wanted}
    return _EXAMPLES.get(model.get("type", ""), "...")
