"""Answer scales known by name, five points each; the first label is answer 1."""

from collections.abc import Mapping
from types import MappingProxyType

SCALES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agreement": (
            "strongly disagree",
            "disagree",
            "neither agree nor disagree",
            "agree",
            "strongly agree",
        ),
        "familiarity": (
            "not at all familiar",
            "slightly familiar",
            "moderately familiar",
            "very familiar",
            "extremely familiar",
        ),
        "frequency": ("never", "rarely", "sometimes", "often", "very often"),
        "likelihood": (
            "extremely unlikely",
            "somewhat unlikely",
            "neither likely nor unlikely",
            "somewhat likely",
            "extremely likely",
        ),
        "quality": ("very poor", "poor", "fair", "good", "very good"),
        # The published direction: 1 is extremely certain.
        "uncertainty": (
            "extremely certain",
            "somewhat certain",
            "neutral",
            "somewhat uncertain",
            "extremely uncertain",
        ),
    }
)
