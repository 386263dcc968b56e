"""What tasks make exports of: tables with their columns, and rows of answered trials with who is left out."""
