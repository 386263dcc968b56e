"""Walks over the map of `stimuli` by keyboard, mouse or touch, which the server recomputes from the key presses."""

# How many units there are in words: one of them, and several.
UNITS = ("walks on {} course", "walks on {} courses")
# The tables of `exports.py`, which it alone has.
EXPORTS = ("walks", "positions")
