"""Walks over the map of `stimuli` by keyboard, mouse or touch, which the server recomputes from the key presses."""

from app.tasks.named import Named

ABOUT = Named(units=("walks on {} course", "walks on {} courses"), tables=("walks", "positions"))
