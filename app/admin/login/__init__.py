"""Logging in and out, and one's own account. Called by the admin's router, and by the pages of people for cookies."""
