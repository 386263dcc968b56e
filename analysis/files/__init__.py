"""Text that people hand in: one reader of delimited files and one of numbers. The standard library alone, so that the
service reads with it as the analysis does."""
