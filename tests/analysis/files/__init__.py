"""Tests of the reader of text."""
