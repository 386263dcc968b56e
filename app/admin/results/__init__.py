"""The results of a study as a page: computed by the worker, rendered by the server."""
