"""What a participant does in a block of a study: one folder for each kind of task, and the list of them."""
