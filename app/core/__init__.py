"""The base of all packages: settings, database, schema, errors, templates. It imports no other package."""
