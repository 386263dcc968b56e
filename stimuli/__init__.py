"""The map, its walkers and the ray caster: clips of walks to a goal, seen in first person, with their positions.

`stimuli.arena` and `stimuli.steps` need no NumPy, and the serving process may import these two.
"""
