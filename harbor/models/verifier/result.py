"""What a verifier reports of a trial."""

from typing import Dict, Optional, Union

from ...codec import Model

__all__ = ["VerifierResult"]


# No docstring: Harbor's class has none, and its JSON schema would show it.
class VerifierResult(Model):
    rewards: Optional[Dict[str, Union[float, int]]] = None
