"""Judges that learn from paths of people and agents: inputs, networks, folds, leaks, weights and their card.

Training needs the extra `train` (JAX and Optax); judging needs NumPy alone.
"""
