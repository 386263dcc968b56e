"""The experimenter's pages: a folder for each screen."""
