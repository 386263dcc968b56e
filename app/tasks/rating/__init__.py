"""The task `rating`: one stimulus at a time, judged on several criteria."""

from app.tasks.named import Named

ABOUT = Named(units=("{} item", "{} items"), tables=("ratings",))
