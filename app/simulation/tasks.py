"""Simulators of task pages that need more than filling in a form."""

from collections.abc import Sequence

from app.tasks.base import Simulating
from app.tasks.game.simulated import Simulated as Player
from app.tasks.walk.simulated import Simulated as Walker

SIMULATING: Sequence[type[Simulating]] = (Player, Walker)
"""A task that has such pages has a line here."""
