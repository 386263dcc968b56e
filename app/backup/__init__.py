"""Copies of everything that a service keeps, made while it serves, and brought back with proof of it."""
