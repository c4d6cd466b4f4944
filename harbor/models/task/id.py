"""What identifies a task: a local folder, a folder of a git repository, or a package.

Instances are frozen and hashable; ``str()`` is pydantic's, ``label`` reads well.
"""

import os
import posixpath
import uuid
from pathlib import Path, PurePath
from typing import Optional

from ...codec import Field, Model

__all__ = ["GitTaskId", "LocalTaskId", "PackageTaskId"]

# Where Harbor keeps the tasks it fetches.
_TASK_CACHE = os.path.join("~", ".cache", "harbor", "tasks")
_PACKAGE_CACHE = os.path.join(_TASK_CACHE, "packages")
_SHA256_PREFIX = "sha256:"
# The digits of a short UUID: letters and digits that cannot be mistaken for each other.
_SHORT_UUID_DIGITS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SHORT_UUID_LENGTH = 22


class LocalTaskId(Model):
    model_config = {"frozen": True}

    path: Path

    @property
    def label(self) -> str:
        """The path, with forward slashes."""
        return self.path.as_posix()

    def get_name(self) -> str:
        """Give the name of the task's folder, looked up on this machine if the path ends in dots."""
        return self.path.expanduser().resolve().name

    def get_local_path(self) -> Path:
        """Give the absolute path of the task's folder."""
        return self.path.expanduser().resolve()


def _stay_inside(path: PurePath) -> Path:
    """Take the dots out of a path; raises ``ValueError`` where it leads out of the repository."""
    text = path.as_posix()
    if posixpath.isabs(text):
        raise ValueError("Git task paths must be relative to the repository")
    text = posixpath.normpath(text)
    if text.split("/")[0] == "..":
        raise ValueError("Git task paths must stay within the repository")
    return Path(text)


class GitTaskId(Model):
    model_config = {"frozen": True}

    git_url: str
    git_commit_id: Optional[str] = None
    path: Path = Field(after=_stay_inside)

    @property
    def label(self) -> str:
        """The repository, the commit if it is known, and the path: ``URL@COMMIT:PATH``."""
        commit = "" if self.git_commit_id is None else "@" + self.git_commit_id
        return "%s%s:%s" % (self.git_url, commit, self.path.as_posix())

    def get_name(self) -> str:
        """Give the name of the task's folder."""
        return self.path.name

    def get_local_path(self) -> Path:
        """Give the folder where Harbor keeps the fetched task."""
        return Path(_TASK_CACHE).expanduser() / _short_uuid(str(self)) / self.path.name


class PackageTaskId(Model):
    model_config = {"frozen": True}

    org: str
    name: str
    ref: Optional[str] = None

    @property
    def label(self) -> str:
        """The package and the version if one is named: ``ORG/NAME@REF``."""
        return "%s/%s%s" % (self.org, self.name, "" if self.ref is None else "@" + self.ref)

    def get_name(self) -> str:
        """Give ``ORG/NAME``."""
        return "%s/%s" % (self.org, self.name)

    def get_local_path(self) -> Path:
        """Give the folder where Harbor keeps the fetched package; raises ``ValueError`` without a digest in ``ref``."""
        if self.ref is None or not self.ref.startswith(_SHA256_PREFIX):
            raise ValueError(
                "Cannot compute local path without a resolved digest. Resolve the PackageTaskId first.")
        return Path(_PACKAGE_CACHE).expanduser() / self.org / self.name / self.ref[len(_SHA256_PREFIX):]


def _short_uuid(name: str) -> str:
    """Give the UUID of a name (version 5, DNS) in base 57, as the folders of Harbor's cache are called."""
    number = uuid.uuid5(uuid.NAMESPACE_DNS, name).int
    digits = ""
    while number or len(digits) < _SHORT_UUID_LENGTH:
        number, digit = divmod(number, len(_SHORT_UUID_DIGITS))
        digits = _SHORT_UUID_DIGITS[digit] + digits
    return digits
