"""The study file: its model, its reading with every fault at its place, its writing, and templates. No database and no
web; called by `studies`, by tasks for their settings, and by all readers of designs.
"""
