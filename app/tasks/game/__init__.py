"""Games that people and agents play: rules as pure functions, the log of a match, and the agents."""

from app.tasks.named import Named

ABOUT = Named(
    units=("matches in {} configuration", "matches in {} configurations"), tables=("moves", "seats_played")
)
