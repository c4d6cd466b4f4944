"""What a verifier reports."""
