"""Background work: the queue, the worker, and a handler for each kind of job."""
