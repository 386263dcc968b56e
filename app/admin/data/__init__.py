"""The page of a study's data: exports, reports and packages to make and to fetch. Called by the
admin's router, and by the page of judges for its rows of jobs."""
