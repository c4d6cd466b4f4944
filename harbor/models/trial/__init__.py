"""Records of trials."""
