"""The library as experimenters see it: what they may see of it, where studies use it, and what may be changed."""
