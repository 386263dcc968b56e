"""Tiny ONNX files, written byte by byte: the package onnx is not needed for them."""

from collections.abc import Sequence

FLOAT, UINT8, DOUBLE = 1, 2, 11


def _varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _node(operation: str, given: str, gives: str, attributes: bytes) -> bytes:
    return _field(1, _field(1, given) + _field(2, gives) + _field(4, operation) + attributes)


def mean_colours(
    shape: Sequence[int | str],
    *,
    over: Sequence[int],
    kind: int = FLOAT,
    n_inputs: int = 1,
    gives: Sequence[int | str] = ("n", "c"),
) -> bytes:
    """A network of one step: the mean of its input over the axes `over`."""
    keep = _field(5, _field(1, "keepdims") + _field(20, 2) + _field(3, 0))
    axes = _field(5, _field(1, "axes") + _field(20, 7) + b"".join(_field(8, axis) for axis in over))
    to = _field(5, _field(1, "to") + _field(20, 2) + _field(3, FLOAT))
    graph = _node("Cast", "frames", "numbers", to) + _node("ReduceMean", "numbers", "features", axes + keep)
    graph += _field(2, "tiny")
    graph += b"".join(
        _field(11, _value("frames" if not number else f"more{number}", kind, shape))
        for number in range(n_inputs)
    )
    graph += _field(12, _value("features", FLOAT, gives))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))
