"""Changes to the riskiest places of the code, each of which some test of `make test` has to catch: a file of `changes`
each, and `python -m tests.mutations` to try them."""
