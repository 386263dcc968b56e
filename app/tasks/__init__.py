"""Tasks: `base` is the protocol of a task, `registry` finds each by its name. Sessions, studies, the monitor and the
exports use tasks through these only.
"""

# The tasks there are, each with the package of its folder. A new one is a folder, and a line here.
TASKS: dict[str, str] = {
    "pair": "app.tasks.pair",
    "rating": "app.tasks.rating",
    "game": "app.tasks.game",
    "walk": "app.tasks.walk",
}
# A study file without blocks is short for one block of this task: its keys are those of the block, and these alone.
SHORT_TASK = "pair"
SHORT_KEYS = ("pairs", "sample", "trials")
