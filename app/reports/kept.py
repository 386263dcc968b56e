"""Findings as the worker keeps them, in JSON, for pages that compute nothing."""

from functools import cache

from pydantic import TypeAdapter

from analysis.findings.model import Findings


@cache
def _adapter() -> TypeAdapter[Findings]:
    return TypeAdapter(Findings)


def to_json(view: Findings) -> bytes:
    return _adapter().dump_json(view)


def from_json(text: bytes) -> Findings:
    """Raises ValueError for what another release has left."""
    return _adapter().validate_json(text)
