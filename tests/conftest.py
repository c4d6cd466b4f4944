"""What all tests share."""

import pytest

# The recorded data shows error texts as they are by default; tables in tests read better without their links.
_WITH_LINKS = ("test_golden", "test_record_golden")


@pytest.fixture(autouse=True)
def leave_links_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the links out of error texts, as pydantic's own switch does."""
    if request.module.__name__ in _WITH_LINKS:
        monkeypatch.delenv("PYDANTIC_ERRORS_INCLUDE_URL", raising=False)
    else:
        monkeypatch.setenv("PYDANTIC_ERRORS_INCLUDE_URL", "0")
