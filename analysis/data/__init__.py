"""Tables in: their columns, files read and checked, mapping files, group codes, which rows count."""
