"""Walks over the map of `stimuli` by keyboard, mouse or touch, which the server computes anew from what was pressed."""
