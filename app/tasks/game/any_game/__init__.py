"""Done for any game where its own folder says nothing: pages, records, and tables for who runs a study."""
