"""Environments: where agents run their commands."""
