"""The service: tables, pages, API and commands round the pure library `analysis`, which imports nothing of it."""
