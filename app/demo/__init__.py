"""The demo study of `make run`."""
