"""`python -m app`: the command, for processes that the service starts."""

from app.cli import main

main()
