"""The queue of background work: jobs asked for, taken, told of, ended. `worker` does them."""
