"""The one part of a task's configuration that trial results mention."""

import enum

__all__ = ["VerifierEnvironmentMode"]


class VerifierEnvironmentMode(str, enum.Enum):
    SHARED = "shared"
    SEPARATE = "separate"
