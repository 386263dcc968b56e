"""Games that people and agents play: rules as pure functions, the log of a match, and the agents."""

# How many units there are in words: one of them, and several.
UNITS = ("matches in {} configuration", "matches in {} configurations")
# The tables of `exports.py`, which it alone has.
EXPORTS = ("moves", "seats_played")
