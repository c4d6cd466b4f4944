"""Records of what an agent did."""
