"""Weights on disk: safetensors only; anything but exactly what the network needs is refused."""

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from analysis.errors import AnalysisError
from analysis.learning.networks import Parameters

MOST_BYTES = 64_000_000
Shapes = Mapping[str, tuple[int, ...]]


def packed(parameters: Parameters) -> bytes:
    """Arrays of 32-bit floats as a safetensors file, the same bytes for the same arrays."""
    from safetensors.numpy import save

    # Sorted: the same weights have to give the same bytes, and so the same hash.
    return save({name: np.ascontiguousarray(values) for name, values in sorted(parameters.items())})


def unpacked(data: bytes, wanted: Shapes, origin: str) -> Parameters:
    """The arrays of a file, by name. Raises AnalysisError where it holds anything but `wanted`, finite, as float32."""
    if len(data) > MOST_BYTES:
        raise AnalysisError(f"{origin}: is larger than {MOST_BYTES // 10**6} MB, which no judge of ours is")
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        # Looked at first: types that NumPy does not know would fail in the library's own words.
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        kinds = {name: entry["dtype"] for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise AnalysisError(f"{origin}: is no safetensors file") from None
    if set(kinds) != set(wanted):
        odd = sorted(set(kinds) ^ set(wanted))
        raise AnalysisError(
            f"{origin}: does not hold the arrays of its network; missing or unknown: {', '.join(odd)[:200]}"
        )
    if wrong := sorted(name for name, kind in kinds.items() if kind != "F32"):
        raise AnalysisError(f"{origin}: {wrong[0]} is of type {str(kinds[wrong[0]])[:20]}; allowed: F32")
    try:
        # safetensors hold arrays only; a pickle could run code.
        found = load(data)
    except (SafetensorError, ValueError, KeyError) as error:
        raise AnalysisError(
            f"{origin}: is no safetensors file ({' '.join(str(error).split())[:120]})"
        ) from None
    for name, shape in wanted.items():
        if found[name].shape != tuple(shape):
            raise AnalysisError(
                f"{origin}: {name} has the shape {found[name].shape}; the card says {tuple(shape)}"
            )
        if not np.isfinite(found[name]).all():
            raise AnalysisError(f"{origin}: {name} holds values that are no numbers")
    return found


def digest(parameters: Parameters) -> str:
    """SHA-256 over name, type, shape and bytes of each array in the order of names: containers may differ."""
    found = hashlib.sha256()
    for name, values in sorted(parameters.items()):
        # With name, type and shape: the same bytes cut into other arrays are other weights.
        found.update(f"{name} {values.dtype.str} {values.shape}\n".encode())
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()
