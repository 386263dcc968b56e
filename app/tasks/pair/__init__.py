"""The task `pair`: two stimuli side by side, one choice."""

# How many units there are in words: one of them, and several.
UNITS = ("{} pair", "{} pairs")
