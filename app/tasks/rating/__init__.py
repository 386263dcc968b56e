"""The task `rating`: one stimulus at a time, judged on several criteria."""

# How many units there are in words: one of them, and several.
UNITS = ("{} item", "{} items")
# The tables of `exports.py`, which it alone has.
EXPORTS = ("ratings",)
