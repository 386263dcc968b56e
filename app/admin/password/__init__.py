"""Choosing a password by a link, and asking for one; without a login."""
