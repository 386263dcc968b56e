"""The list of studies, one study's overview, and what leads to its next step. Called by the admin's router, and
by its guard for the head of a study's pages."""
