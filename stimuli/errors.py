"""Errors that refuse a set of clips."""


class StimuliError(Exception):
    """The set cannot be made as asked; the message is one line that says what, where and why."""
