"""The process that does jobs: one handler for each kind, each loaded by its first job."""
