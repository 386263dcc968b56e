"""The parts of a study package: tables, pseudonyms, dictionary, descriptions, archive. Called by
`app.reports.package`; what authors say of their data (`about`) also comes from the command line and the worker."""
