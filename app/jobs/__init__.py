"""Work beside the service: the queue, the worker that does it, and a handler for each kind of job."""
