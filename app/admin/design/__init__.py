"""The form of a study's design, made from the models of the study file, with its buttons, faults and preview. Called by
the admin's router, and by the page of versions for its fields."""
