"""The page on which a study is begun, from a template, a file or another study. Called by the admin's router alone."""
