"""What every part rests on: settings, database, errors, templates, serving. Only `serving` calls other parts."""
