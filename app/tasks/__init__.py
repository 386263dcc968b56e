"""Kinds of things that a participant does: `base` says what a task owes, `registry` finds each by its name. Sessions,
studies, the monitor and the exports reach tasks through these alone."""

# The tasks there are, each with the package of its folder. A new one is a folder, and a line here.
TASKS: dict[str, str] = {
    "pair": "app.tasks.pair",
    "rating": "app.tasks.rating",
    "game": "app.tasks.game",
    "walk": "app.tasks.walk",
}
