"""A task of its own: how many dots? What a new task takes, and no more; `tests/tasks/test_toy.py` registers it."""

from app.tasks.named import Named

ABOUT = Named(units=("{} card", "{} cards"))
