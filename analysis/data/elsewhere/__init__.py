"""Tables from elsewhere: their files, their mapping files, and how the two become ours."""
