"""Generate demo clips of walks to a goal, seen in first person, with their positions and a manifest."""

from stimuli.clipset import StimuliError, generate

__all__ = ["StimuliError", "generate"]
