"""Stimuli: upload, storage, documents and records. `clips` processes files without a database. It knows no study."""
