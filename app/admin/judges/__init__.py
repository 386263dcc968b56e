"""The pages of judges: what there are, their runs and their training. Called by the admin's router alone."""
