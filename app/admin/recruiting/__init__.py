"""The page of a study's recruitment: what to enter at the recruiter, and its submissions compared."""
