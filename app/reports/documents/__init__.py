"""Documents about a study, made from its design: the pre-registration and the application to an ethics board."""
