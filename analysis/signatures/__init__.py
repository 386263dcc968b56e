"""How sources move, without asking anybody: signatures of their paths, distances between them, how soon they settle.

Reads positions and nothing else; called by the command line and the report.
"""

from analysis.signatures.comparing import (
    ClipPath,
    NoSignatures,
    SignatureResult,
    Signatures,
    compare_signatures,
)
from analysis.signatures.paths import Path, PathFeatures, path_features
from analysis.signatures.text import render_signatures

__all__ = [
    "ClipPath",
    "NoSignatures",
    "Path",
    "PathFeatures",
    "SignatureResult",
    "Signatures",
    "compare_signatures",
    "path_features",
    "render_signatures",
]
