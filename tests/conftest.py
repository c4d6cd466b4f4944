"""What all tests share."""

import signal
import sys
from typing import List

import pytest

import implementation

sys.path.insert(0, str(implementation.PATH))

# Whatever a shell starts in the background ignores interrupts, and so would what the tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore_glob: List[str] = implementation.LEFT_OUT if implementation.NAME == "single" else []

# The recorded data shows error texts as they are by default; tables in tests read better without their links.
_WITH_LINKS = ("test_golden", "test_record_golden")


#: Tests that PyPy fails by nature, and why. They must fail: one that passes leaves this table.
_NOT_ON_PYPY = {
    "the text is CPython's": [
        "test_cli_run.py::test_what_python_refuses_is_said_in_a_line[bad_syntax]",
        "test_forms.py::test_what_has_no_better_form_is_its_repr_and_is_not_used_up[iterator]",
        "test_legacy.py::test_copy_of_update_with_other_keys_than_text_is_refused",
        "test_legacy.py::test_error_of_parse_raw_as_data",
        "test_legacy.py::test_old_name_refuses[copy generator]",
        "test_legacy.py::test_old_name_refuses[copy name in a list]",
        "test_legacy.py::test_old_name_refuses[copy number below a key]",
        "test_legacy.py::test_old_name_refuses[copy number below an index]",
        "test_legacy.py::test_old_name_refuses[parse_raw bad pickle]",
        "test_legacy.py::test_old_name_refuses[parse_raw empty]",
        "test_legacy.py::test_parse_file[a.json--options9-expected9-3]",
    ],
    "growing lists are read in the plain way": [
        "test_growing.py::test_a_trial_is_read_and_written_so_too",
        "test_growing.py::test_keys_of_several_segments_cost_one_look_around_the_lists",
        "test_growing.py::test_only_lists_of_ints_are_proven",
        "test_growing.py::test_reading_scans_each_token_once",
    ],
}


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """Expect the failures that lie in the interpreter."""
    if sys.implementation.name == "pypy":
        for item in items:
            for reason, tests in _NOT_ON_PYPY.items():
                if item.nodeid.partition("/")[2].startswith(tuple(tests)):
                    item.add_marker(pytest.mark.xfail(reason=reason))


def pytest_report_header() -> str:
    """Show which implementation is tested."""
    return "under test: %s" % implementation.NAME


@pytest.fixture(autouse=True)
def leave_links_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the links out of error texts, as pydantic's own switch does."""
    if request.module.__name__ in _WITH_LINKS:
        monkeypatch.delenv("PYDANTIC_ERRORS_INCLUDE_URL", raising=False)
    else:
        monkeypatch.setenv("PYDANTIC_ERRORS_INCLUDE_URL", "0")
