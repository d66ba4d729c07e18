"""``python -m hermes.daemon``."""

import faulthandler
import logging
import os
import sys

from .main import main

# Who dies of a fault says so: on standard error, which a daemon in the background has in a file.
faulthandler.enable()
code = main()
logging.shutdown()
sys.stdout.flush()
sys.stderr.flush()
# All is closed and released. What may still run is a thread that was opening the memory for
# reading; it can take seconds, and nobody needs it any more.
os._exit(code)
