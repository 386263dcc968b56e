"""The types of questions: one file for each, and the list of them."""
