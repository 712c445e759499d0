"""The files of Debian packages, also of those that are not installed, for Scripts/check-packages.py."""

import collections
import glob
import io
import os
import re
import subprocess
import tarfile
import tempfile

# Not essential, and in each Debian all the same.
EVERYWHERE = {"apt", "mount"}


def fields(entry):
    """A paragraph of a control file. Of a field with several lines, the first counts."""
    return dict(re.findall(r"^([A-Z][\w-]*): (.*)$", entry, re.MULTILINE))


def downloaded(names, folder):
    """The archives of packages, in a folder. They are not installed."""
    if not names:
        return []
    # apt downloads as a user of its own if that user may write here.
    os.chmod(folder, 0o777)
    command = ["apt-get", "download", "--quiet=2", *names]
    if subprocess.run(command, cwd=folder, capture_output=True).returncode != 0:
        # The package lists of a fresh machine are empty or old.
        subprocess.run(["apt-get", "update", "--quiet=2"], capture_output=True)
        subprocess.run(command, cwd=folder, check=True)
    return sorted(glob.glob(folder + "/*.deb"))


class Debian:
    """The installed packages and those that are asked for: their files, and what they depend on."""

    def __init__(self, names):
        self.depends, self.base = {}, set()
        self.provided = collections.defaultdict(set)
        self.owners = {}
        for entry in open("/var/lib/dpkg/status", encoding="utf-8").read().split("\n\n"):
            if "ok installed" in fields(entry).get("Status", ""):
                self.add(fields(entry))
        for path in glob.glob("/var/lib/dpkg/info/*.list"):
            package = os.path.basename(path)[:-5].split(":")[0]
            for line in open(path, encoding="utf-8"):
                self.owners[self.real(line.rstrip("\n"))] = package
        with tempfile.TemporaryDirectory() as folder:
            for path in downloaded(sorted(set(names) - set(self.depends)), folder):
                package = fields(subprocess.run(["dpkg-deb", "--field", path], capture_output=True, text=True,
                                                check=True).stdout)
                self.add(package)
                archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True).stdout
                for member in tarfile.open(fileobj=io.BytesIO(archive)).getnames():
                    self.owners[self.real(member.removeprefix("."))] = package["Package"]
        self.programs = {
            os.path.basename(path): package for path, package in self.owners.items()
            if os.path.dirname(path) in ("/usr/bin", "/usr/sbin", "/usr/games")}
        self.libraries = {
            os.path.basename(path): package for path, package in self.owners.items() if ".so." in path}

    def add(self, package):
        name = package["Package"]
        needs = ", ".join(package[key] for key in ("Depends", "Pre-Depends") if key in package)
        self.depends[name] = [re.findall(r"[a-z0-9][a-z0-9+.-]+", choice)[0] if choice.strip() else ""
                              for choice in needs.split(",")]
        self.depends[name] += re.findall(r"\| *([a-z0-9][a-z0-9+.-]+)", needs)
        for virtual in re.findall(r"[a-z0-9][a-z0-9+.-]+", re.sub(r"\(.*?\)", "", package.get("Provides", ""))):
            self.provided[virtual].add(name)
        if package.get("Essential") == "yes" or name in EVERYWHERE:
            self.base.add(name)

    @staticmethod
    def real(path):
        """The same file has two names on a system with a merged /usr."""
        return "/usr" + path if re.match(r"/(bin|sbin|lib|lib64)/", path) else path

    def closure(self, packages):
        found, waiting = set(), list(packages)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            waiting += self.depends.get(name, [])
            # A virtual package is there with the package that provides it, if that is asked for as well.
        return found

    def owner(self, path):
        return self.owners.get(self.real(path)) or self.owners.get(self.real(os.path.realpath(path)))
