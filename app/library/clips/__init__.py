"""One video file: opened in a bounded child process, probed, processed, padded, stored by its hash."""
