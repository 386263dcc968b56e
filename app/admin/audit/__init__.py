"""The audit log: sentences with filter and export, of one study or of everything."""
