"""The base of all packages: settings, database, errors, templates, serving. Only `serving` imports other packages."""
