"""The report as files: HTML, methods, tables and figures, from typed results. Called by the other
modules of `app.reports`, by the command line and by the worker, which hold sources and words for it."""
