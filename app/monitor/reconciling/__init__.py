"""A recruiter's submissions held against the sessions here: whom to pay, whom to ask to return, and lists for it."""
