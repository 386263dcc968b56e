"""The task `dots`: cards with dots, shown one at a time and counted."""

from app.tasks.named import Named

ABOUT = Named(units=("{} card", "{} cards"), tables=("counts",))
