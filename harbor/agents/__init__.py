"""Agents: what all of them share."""
