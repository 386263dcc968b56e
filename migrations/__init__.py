"""The steps from one form of the tables to the next, run by `alembic` and by the service as it starts."""
