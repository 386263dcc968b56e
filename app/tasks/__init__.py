"""Kinds of things that a participant does: `base` says what a task owes, `listed` which there are, `registry` what a
study file says of each, `running` what each does. Sessions, studies and exports reach tasks through these."""
