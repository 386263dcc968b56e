"""Verdicts of a study's exclusion rules on its sessions: judged when a session ends, and again as others end. They know
the tasks' answers by name, as the rules of `analysis.quality` look at each.
"""
