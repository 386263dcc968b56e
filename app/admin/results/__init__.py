"""The results of a study as a page: what the worker has computed, drawn by the server."""
