"""The task `rating`: one stimulus at a time, judged on several criteria."""
