"""Login and logout, and the user's own account. Used by the admin's router, and by the pages of people for cookies."""
