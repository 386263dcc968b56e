"""Planning a study: power, and the participants or trials that it takes, by simulation.

from analysis.planning import plan, render_plan
print(render_plan(plan(share_from=0.77, share_to=0.84, participants=30, trials=6)))
"""

from analysis.planning.answers import simulated_responses
from analysis.planning.planner import plan
from analysis.planning.plans import Plan
from analysis.planning.text import render_plan

__all__ = ["Plan", "plan", "render_plan", "simulated_responses"]
