"""Answer scales known by name, five points each; the first label is answer 1."""

from collections.abc import Mapping
from types import MappingProxyType

from app.core.language import noop

SCALES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agreement": (
            noop("strongly disagree"),
            noop("disagree"),
            noop("neither agree nor disagree"),
            noop("agree"),
            noop("strongly agree"),
        ),
        "familiarity": (
            noop("not at all familiar"),
            noop("slightly familiar"),
            noop("moderately familiar"),
            noop("very familiar"),
            noop("extremely familiar"),
        ),
        "frequency": (noop("never"), noop("rarely"), noop("sometimes"), noop("often"), noop("very often")),
        "likelihood": (
            noop("extremely unlikely"),
            noop("somewhat unlikely"),
            noop("neither likely nor unlikely"),
            noop("somewhat likely"),
            noop("extremely likely"),
        ),
        "quality": (noop("very poor"), noop("poor"), noop("fair"), noop("good"), noop("very good")),
        # The published direction: 1 is extremely certain.
        "uncertainty": (
            noop("extremely certain"),
            noop("somewhat certain"),
            noop("neutral"),
            noop("somewhat uncertain"),
            noop("extremely uncertain"),
        ),
    }
)
