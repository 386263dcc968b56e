"""The task `pair`: two stimuli side by side, one choice."""

from app.tasks.named import Named

ABOUT = Named(units=("{} pair", "{} pairs"), tables=("responses", "labels", "playback", "preferences"))
