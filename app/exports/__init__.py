"""Building blocks of tasks' exports: tables with their columns, and rows of answered trials with their exclusions."""
