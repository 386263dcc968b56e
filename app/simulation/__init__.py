"""Simulated participants, who answer through the real pages."""
