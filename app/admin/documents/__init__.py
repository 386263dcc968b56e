"""Documents about a study: its pre-registration, and the application to an ethics board."""
