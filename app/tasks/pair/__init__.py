"""The task `pair`: two stimuli side by side, one choice."""

# How many units there are in words: one of them, and several.
UNITS = ("{} pair", "{} pairs")
# The tables of `exports.py`, which it alone has.
EXPORTS = ("responses", "labels", "playback", "preferences")
