"""The pages of users, and of who may see which study. Called by the admin's router alone."""
