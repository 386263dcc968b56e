"""The one rule for statements on a number: that it is more or less, that it differs by no more than a margin, or that
neither can be told yet.
"""

from dataclasses import dataclass

from analysis.stats.evidence import SHARE, Ends, evidence, with_test


@dataclass(frozen=True, slots=True)
class Sayings:
    """A sentence for each verdict; an empty one states nothing."""

    more: str = ""
    less: str = ""
    alike: str = ""
    open: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A supported statement; `is_settled` if it is a finding."""

    text: str
    is_settled: bool

    @property
    def can_say(self) -> tuple[str, ...]:
        return (self.text,) if self.is_settled and self.text else ()

    @property
    def not_yet(self) -> tuple[str, ...]:
        return () if self.is_settled or not self.text else (self.text,)


def say(
    interval: Ends, p: float | None, sayings: Sayings, *, null: float = 0.0, smallest: float = SHARE
) -> Said:
    """The sentence for a number by its interval and, of a difference, by `p` of its test over people as well.

    Examples
    --------
    >>> from analysis.findings.model import Measured
    >>> sayings = Sayings("People do better than chance.", open="That people do better than chance.")
    >>> say(Measured(0.7, 0.6, 0.8), 0.01, sayings, null=0.5).text
    'People do better than chance.'
    >>> say(Measured(0.7, 0.6, 0.8), 0.125, sayings, null=0.5).is_settled
    False
    """
    verdict = with_test(evidence(interval, null, smallest), p)
    return Said(getattr(sayings, verdict), verdict != "open")
