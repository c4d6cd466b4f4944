"""Run the command line: `python -m harbor`."""

import gc
import sys

from .cli import main

if __name__ == "__main__":
    status = main()
    # The interpreter's last collections would go through all that was imported, for nothing.
    getattr(gc, "freeze", int)()
    sys.exit(status)
