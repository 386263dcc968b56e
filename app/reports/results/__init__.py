"""The results page: what the worker makes of an analysis, and the serving process shows (`view` alone is for it)."""
