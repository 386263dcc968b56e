"""All exclusion rules, by their names. A new rule is a function in a file here, and a place in its list."""

from analysis.quality.flagged import FLAGGED
from analysis.quality.patterns import PATTERNS
from analysis.quality.rules import ChosenRule, Rule
from analysis.quality.texts import TEXTS
from analysis.quality.times import TIMES
from analysis.quality.written import WRITTEN

RULES: dict[str, Rule] = {rule.name: rule for rule in (*FLAGGED, *TIMES, *PATTERNS, *TEXTS, *WRITTEN)}

DEFAULT: tuple[ChosenRule, ...] = (
    ChosenRule("attention-failed", {"at_least": 2}),
    ChosenRule("comprehension-failed"),
    ChosenRule("duplicate"),
    ChosenRule("unwatched"),
    ChosenRule("not-fetched"),
    ChosenRule("sped-up"),
    ChosenRule("forged"),
    ChosenRule("no-telemetry", use=True),
    ChosenRule("hidden"),
    ChosenRule("reaction-time"),
    ChosenRule("total-time"),
    ChosenRule("reaction-time-outlier", use=True),
    ChosenRule("total-time-outlier", use=True),
    ChosenRule("same-side"),
    ChosenRule("same-certainty", use=True),
    ChosenRule("straight-lined"),
    ChosenRule("pasted"),
    ChosenRule("repeated-text"),
    ChosenRule("shared-text"),
    ChosenRule("program-written", use=True),
    ChosenRule("automatic-moves"),
    ChosenRule("stalls", use=True),
    ChosenRule("out-of-step", use=True),
    ChosenRule("dropped-frames", use=True),
)
"""What `exclude: default` stands for. Nobody goes unpaid by it: that is for an experimenter to say."""
