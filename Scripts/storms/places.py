"""Names the folders of the repository and of its products, and makes folders for apps."""

import os
import tempfile

# Links lead to this file, so the real path counts.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BIN = os.path.join(ROOT, ".build/bin")
APPS = os.path.join(ROOT, ".build/apps")
# Apps run under users of their own, who cannot enter every folder that may be in this user's PATH.
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def folder_for_apps(prefix: str) -> str:
    """Makes a temporary folder with files that apps read. It is not in /tmp, because apps have a /tmp of their own."""
    folder = tempfile.mkdtemp(prefix=prefix, dir="/var/lib")
    os.chmod(folder, 0o755)
    return folder
