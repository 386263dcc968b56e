"""The same functions over JSON, for programs."""
