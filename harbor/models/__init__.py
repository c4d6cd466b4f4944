"""Records of runs, at the import paths Harbor gives them."""
