"""What presenters share: they say in words, tables and drawings what a view has. They see no state."""
