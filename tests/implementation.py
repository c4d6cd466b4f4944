"""Which implementation the tests run on: the package, or the one file that is made of it.

The environment variable `HARBOR_UNDER_TEST` says so: `package` (the default) or `single`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Mapping, Optional, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent

#: `package` or `single`.
NAME = os.environ.get("HARBOR_UNDER_TEST") or "package"
if NAME not in ("package", "single"):
    raise ValueError("HARBOR_UNDER_TEST must be 'package' or 'single', not %r" % NAME)

#: The folder that holds it, for `sys.path`.
PATH = ROOT if NAME == "package" else ROOT / "single"

#: The file that `import harbor` runs.
FILE = PATH / ("harbor/__init__.py" if NAME == "package" else "harbor.py")

#: Tests of what the one file leaves out: the command line, and what shows it.
LEFT_OUT = ["test_cli*.py", "test_docs.py"]


def install(folder: pathlib.Path, name: str = "harbor") -> pathlib.Path:
    """Put a copy of the implementation into a folder, under a name, without byte code; gives the copy."""
    if NAME == "single":
        shutil.copyfile(str(FILE), str(folder / (name + ".py")))
        return folder / (name + ".py")
    shutil.copytree(str(PATH / "harbor"), str(folder / name), ignore=shutil.ignore_patterns("__pycache__"))
    return folder / name


def run_python(
    *arguments: str,
    cwd: Optional[pathlib.Path] = None,
    env: Optional[Mapping[str, str]] = None,
    user: Optional[int] = None,
    through: Sequence[str] = ()
) -> str:
    """Run this Python; gives what it prints. Fails if it prints on standard error or does not exit with 0.

    ``env`` is the whole environment, by default this one without what it says to Python; ``user`` a user id to run as;
    ``through`` a program that runs Python, with its arguments.
    """
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def become_user() -> None:
        assert user is not None
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)

    done = subprocess.run(
        [*through, sys.executable, *arguments],
        cwd=None if cwd is None else str(cwd),
        env=dict(around, PYTHONDONTWRITEBYTECODE="1") if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=None if user is None else become_user,
    )
    complaint = done.stderr.decode("utf-8", "replace")
    assert (done.returncode, complaint) == (0, ""), "exit status %d\n%s" % (done.returncode, complaint)
    return done.stdout.decode("utf-8")
