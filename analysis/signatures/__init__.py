"""Signatures of sources' movement and play, without human answers: signatures, distances between them, convergence.

Reads only paths and decisions in matches; called by the command line and the report.
"""

from analysis.signatures.against import SignatureResult
from analysis.signatures.comparing import (
    ClipPath,
    NoSignatures,
    Signatures,
    compare_signatures,
)
from analysis.signatures.paths import Path, PathFeatures, path_features
from analysis.signatures.play import Act, PlaySignatures, SeatPlay, compare_play
from analysis.signatures.text import render_play, render_signatures

__all__ = [
    "Act",
    "ClipPath",
    "NoSignatures",
    "Path",
    "PathFeatures",
    "PlaySignatures",
    "SeatPlay",
    "SignatureResult",
    "Signatures",
    "compare_play",
    "compare_signatures",
    "path_features",
    "render_play",
    "render_signatures",
]
