#!/usr/bin/env python3
"""Compares the Debian packages that each Make target and CI ask for with what they use, without building anything.

    Scripts/check-packages.py [TARGET ...]

A target uses the C headers and loaded libraries of the products that it builds, and the programs, files and Python modules
that its scripts and tests name. It fails if a list lacks a package, and if a list has one that nothing uses: removing any
package from any list fails. Of packages that are not installed it downloads the lists of their files.
"""

import argparse
import ast
import glob
import json
import os
import re
import subprocess
import sys

from debian_files import Debian

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SWIFTPM_BUILD_DIR", os.path.join(ROOT, ".build"))
# Words that are also names of programs in Debian, and mean something else where they occur.
WORDS = {"file", "free", "init", "kill", "red"}
# What runs in the virtual machine, whose image has programs of its own.
ELSEWHERE = "Tests/DeviceTests/"
# Programs that need a package which they do not depend on.
COMPANIONS = {"dunst": ["fonts-dejavu-core"]}
# Python modules that Debian ships apart from the interpreter, by what asks for them.
PARTS_OF_PYTHON = {r"""-m",? ?"?venv""": "python3-venv"}
# Packages that are asked for by the name of another one, which brings them.
ASKED_AS = {"python3-minimal": "python3", "python3.11-minimal": "python3", "libpython3.11-minimal": "python3"}
# What runs the tests.
TESTERS = ("Scripts/run-tests.py", "Scripts/mutants.py")
# The package, and those in folders of it.
PACKAGES = [".", "Gateway"]
# What a recipe builds, where its text does not name a product.
DEMO = "DemoPrograms"


class Products:
    """The targets of the manifest and of the packages that it depends on."""

    def __init__(self):
        self.targets, self.paths = {}, {}
        self.products = {}
        self.own = {folder: [target["name"] for target in self.read(os.path.join(ROOT, folder))["targets"]]
                    for folder in PACKAGES}
        for manifest in glob.glob(os.path.join(BUILD, "checkouts/*/Package.swift")):
            # Only these have modules of the system's libraries.
            folder = os.path.dirname(manifest)
            if glob.glob(folder + "/**/module.modulemap", recursive=True):
                self.read(folder)

    def read(self, folder):
        text = subprocess.run(
            ["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True, check=True,
            env={key: value for key, value in os.environ.items() if key != "SWIFTPM_BUILD_DIR"}).stdout
        manifest = json.loads(text)
        for target in manifest["targets"]:
            self.targets.setdefault(target["name"], target)
            self.paths.setdefault(target["name"], self.folder(folder, target))
        for product in manifest["products"]:
            self.products.setdefault(product["name"], product["targets"])
        return manifest

    @staticmethod
    def folder(package, target):
        if target.get("path"):
            return os.path.join(package, target["path"])
        places = {"test": ["Tests"], "plugin": ["Plugins"]}.get(target["type"], ["Sources", "Source", "src", "srcs"])
        return next((path for place in places if os.path.isdir(path := f"{package}/{place}/{target['name']}")), package)

    def all(self, folder, with_tests):
        return [name for name in self.own[folder] if with_tests or self.targets[name]["type"] != "test"]

    def reached(self, names):
        found, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name in found or name not in self.targets:
                continue
            found.add(name)
            for dependency in self.targets[name]["dependencies"]:
                kind, value = next(iter(dependency.items()))
                waiting += self.products.get(value[0], [value[0]]) if kind == "product" else [value[0]]
        return found


class Evidence:
    """The packages that a target needs, each with the first reason, and those that it may use."""

    def __init__(self, debian, loads):
        self.debian, self.loads = debian, loads
        self.reasons, self.optional = {}, set()

    def add(self, package, reason):
        package = ASKED_AS.get(package, package)
        if package and package not in self.debian.base:
            self.reasons.setdefault(package, reason)

    # MARK: Products

    def headers(self, products, name):
        folder, target = products.paths[name], products.targets[name]
        includes = ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"]
        if target.get("pkgConfig"):
            flags = subprocess.run(
                ["pkg-config", "--cflags-only-I", target["pkgConfig"]], capture_output=True, text=True).stdout
            includes += [flag[2:] for flag in flags.split()]
        own = folder.startswith(ROOT) and not folder.startswith(BUILD)
        if not own and target["type"] != "system":
            return
        for path in files(folder, (".h", ".c", ".modulemap")):
            for header in re.findall(r'^\s*#\s*include\s*<(.*?)>|\bheader\s+"(/.*?)"', text_of(path), re.MULTILINE):
                header = header[0] or header[1]
                # Those of PipeWire lie in folders of their own, which pkg-config names for one target of two.
                places = [*includes, *glob.glob("/usr/include/pipewire-*"), *glob.glob("/usr/include/spa-*")]
                found = next((place for place in places if os.path.exists(os.path.join(place, header))), None)
                if found:
                    self.add(self.debian.owner(os.path.join(found, header)), f"{relative(path)} includes <{header}>")

    def loaded(self, path):
        """Libraries that are opened by name when something asks for them. The tests do."""
        for name in re.findall(r'"(lib[\w+-]+\.so\.\d+)"', text_of(path)):
            package = self.debian.libraries.get(name)
            self.optional.add(package)
            if self.loads:
                self.add(package, f"{relative(path)} loads {name}")

    # MARK: Scripts and tests

    def literal(self, word, path):
        if re.match(r"/(usr|bin|sbin)/", word):
            if not os.path.isdir(word):
                self.add(self.debian.owner(word), f"{relative(path)} names {word}")
        elif word not in WORDS and re.fullmatch(r"[a-z][\w.+-]+", word, re.IGNORECASE):
            package = self.debian.programs.get(word)
            self.add(package, f"{relative(path)} runs {word}")
        for companion in COMPANIONS.get(os.path.basename(word), []):
            self.add(companion, f"{word} needs it")

    def python(self, path):
        for node in ast.walk(ast.parse(text_of(path))):
            # A program is the first word of a command or the first argument of a call; a path may be anywhere.
            words = []
            if isinstance(node, (ast.List, ast.Tuple)):
                words = node.elts[:1]
            elif isinstance(node, ast.Call):
                words = node.args[:1]
            for word in words:
                if isinstance(word, ast.Constant) and isinstance(word.value, str):
                    self.literal(word.value, path)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/usr/"):
                self.literal(node.value, path)
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for name in {name.split(".")[0] for name in names} - set(sys.stdlib_module_names):
                places = [f"/usr/lib/python3/dist-packages/{name}{end}" for end in (".py", "/__init__.py")]
                self.add(next(filter(None, map(self.debian.owner, places)), None), f"{relative(path)} imports {name}")
        self.add(self.debian.programs.get("python3"), f"{relative(path)} is Python")
        for pattern, package in PARTS_OF_PYTHON.items():
            if re.search(pattern, text_of(path)):
                self.add(package, f"{relative(path)} makes an environment")

    def shell(self, text, path):
        text = re.sub(r"(^|\s)#.*", "", text)
        for word in re.findall(
                r"(?:^|[|&;(!]|\b(?:exec|if|then|do|else|sudo|timeout \S+|command -v|as_root)\b)[ \t]*([\w./+-]+)", text,
                re.MULTILINE):
            self.literal(word.replace("/usr/bin/python3", "python3"), path)

    def desktop(self, path):
        for command in re.findall(r"^(?:Try)?Exec=(\S+)", text_of(path), re.MULTILINE):
            self.literal(command, path)

    def embedded(self, path):
        """Modules of Python that a text in another language imports."""
        text = re.sub(r"^[\w@ ]*\bimport \w+$", "", text_of(path), flags=re.MULTILINE)
        for name in re.findall(r'(?:\bimport|\bfrom|"-m",) +"?(\w+)', text):
            places = [f"/usr/lib/python3/dist-packages/{name}{end}" for end in (".py", "/__init__.py")]
            self.add(next(filter(None, map(self.debian.owner, places)), None), f"{relative(path)} imports {name}")

    def swift(self, path):
        self.embedded(path)
        for word in set(re.findall(r'"(/[^"\\\n]+)"|\bfind\("([^"\\\n]+)"\)', text_of(path))):
            self.literal(word[0] or word[1], path)

    def file(self, path):
        if path.endswith(".py"):
            self.python(path)
        elif path.endswith(".swift"):
            self.swift(path)
        elif path.endswith(".desktop"):
            self.desktop(path)
        elif (text := text_of(path)).startswith("#!"):
            if "python" in text.split("\n", 1)[0]:
                self.python(path)
            else:
                self.shell(text, path)


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def relative(path):
    return os.path.relpath(path, ROOT)


def files(folder, endings):
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(endings))


MENTIONED = re.compile(r"(?:Gateway/)?(?:Scripts|Benchmarks|Examples|Fixtures|Tests|\.ci)/[\w./-]+")


def imported(text, place):
    """The files of the modules that a text imports, where `place` is the folder of the script that runs. Links are followed."""
    for module, names in re.findall(r"^\s*(?:from|import) +([\w.]+)(?: +import +([\w, ]+))?", text, re.MULTILINE):
        # `from package import module` names a module as well.
        for name in [module] + [f"{module}.{one.strip()}" for one in names.split(",") if one.strip()]:
            path = os.path.join(place, *name.split("."))
            yield from map(os.path.realpath, filter(os.path.isfile, [path + ".py", path + "/__init__.py"]))


def scripts(text, found=None, place=ROOT):
    """The files of this repository that a text runs, and those that they run or import in turn."""
    found = set() if found is None else found
    is_python = "\nimport " in text
    # What is copied is not run.
    text = re.sub(r"^\s*(?:cp|put|bundle) .*$", "", text, flags=re.MULTILINE)
    # Each with the folder in which Python looks for what it imports.
    reached = [(path, place) for path in imported(text, place)]
    for path in sorted({os.path.join(ROOT, name.rstrip("./")) for name in MENTIONED.findall(text)}):
        # A folder that Python runs; in Python's own text it is a place to import from.
        package = not is_python and os.path.isfile(path + "/__main__.py")
        inside = [path] if os.path.isfile(path) else files(path, (".py", ".sh")) if package else []
        reached += [(file, path if package else os.path.dirname(file)) for file in inside]
    for file, folder in reached:
        if file in found or file == os.path.abspath(__file__) or relative(file).startswith(ELSEWHERE):
            continue
        found.add(file)
        if not file.endswith((".swift", ".yaml", ".md", ".json")):
            scripts(text_of(file), found, folder)
    return found


def plain_programs(run):
    """The desktop entries that scripts and the documents that they try name, by identifiers or as APP.desktop."""
    texts = [path for path in run if not path.endswith((".swift", ".desktop"))]
    if any(path.endswith("check-readme.py") for path in run):
        texts += [os.path.join(ROOT, page) for page in ("README.md", "docs/TOUR.md")]
    text = "\n".join(text_of(path) for path in texts)
    for path in files(os.path.join(ROOT, "Examples"), (".desktop",)):
        name = os.path.basename(path).removesuffix(".desktop")
        if name in text or f'"{name.split(".")[-1]}"' in text:
            yield path


def recipes():
    """Each Make target that asks for packages, and CI, with its text."""
    for name, body in re.findall(r"^([a-z-]+):.*\n((?:\t.*\n|\n(?=\t))+)", text_of(os.path.join(ROOT, "Makefile")), re.MULTILINE):
        if "$(NEED)" in body:
            yield name, body.replace("$(SWIFT_BUILD)", "swift build --configuration release")
    yield "CI", text_of(os.path.join(ROOT, ".ci/run"))


def asked(recipe):
    """The packages that a recipe asks for. What a condition adds counts as well."""
    words = " ".join(re.findall(r"(?:\$\(NEED\)|Scripts/need\.sh) +(.*(?:\\\n.*)*)", recipe))
    words = re.sub(r"\$\(if \$\(\w+\),(.*?)\)", r"\1", words).replace("\\\n", " ")
    return subprocess.run(
        [os.path.join(ROOT, "Scripts/need.sh"), "--list", *words.split()], capture_output=True, text=True,
        check=True).stdout.split()


def built(recipe, run, products):
    """The targets that a recipe builds, by itself or in its scripts."""
    if "Scripts/build.sh demo" in recipe:
        return [DEMO]
    names = []
    builders = ("Scripts/static-app.sh", "Scripts/fuzz", "Scripts/mutants.py")
    texts = [recipe] + [text_of(path) for path in run if relative(path) in builders]
    for line in "\n".join(texts).replace("\\\n", " ").split("\n"):
        nested = re.search(r"Scripts/nested\.sh (\w+)", line.replace("build.sh gateway", "nested.sh Gateway"))
        is_build = "swift build" in line or "Scripts/build.sh all" in line or nested
        # Parts of the manifest come before the rest, or use no library of Debian's.
        if not is_build or "--package-path" in line or "GREENROOM_PARTS=" in line:
            continue
        named = re.findall(r"--(?:product|target) ([\w-]+)", line)
        if named or "--show-bin-path" in line or "--product" in line:
            names += named
        else:
            names += products.all(nested[1] if nested else ".", "--build-tests" in line)
    if "Scripts/static-app.sh" in recipe:
        names.append("Journal")
    if "Scripts/fuzz " in recipe:
        names.append("greenroom-fuzz")
    if "Scripts/mutants.py" in recipe:
        names += products.all(".", True)
    return [target for name in names for target in products.products.get(name, [name])]


def check(name, recipe, debian, products):
    run = scripts(recipe)
    tests = any(script in recipe for script in TESTERS) and name != "check"
    evidence = Evidence(debian, tests)
    for target in sorted(products.reached(built(recipe, run, products))):
        evidence.headers(products, target)
        if products.paths[target].startswith(ROOT):
            for path in files(products.paths[target], (".swift", ".c")):
                evidence.loaded(path)
    evidence.shell(recipe, "the recipe of " + name)
    if tests:
        folders = ["Gateway/Tests"] if "Scripts/nested.sh Gateway --build-tests" in recipe else []
        if "--only Gateway" not in recipe:
            folders += ["Tests", "Fixtures", "Examples"]
        for folder in folders:
            run |= set(files(os.path.join(ROOT, folder), (".swift", ".py", ".sh")))
    for program, _, part in re.findall(r"\.build/bin/([\w-]*bench[\w-]*)( .*--only ([\w]+))?", recipe):
        # `--only waking` runs what is in Waking.swift.
        run |= {path for path in files(products.paths[program], (".swift",))
                if not part or os.path.basename(path).lower().startswith(part)}
    for path in sorted(run | set(plain_programs(run))):
        evidence.file(path)
    packages = set(asked(recipe)) - debian.base
    used = {*evidence.reasons, *evidence.optional}
    return [f"{name}: its list lacks {package}: {evidence.reasons[package]}"
            for package in sorted(evidence.reasons) if package not in packages
            ] + [f"{name}: nothing uses {package}, which its list has" for package in sorted(packages - used)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="Make targets, or CI (default: all)")
    options = parser.parse_args()
    debian = Debian(package for _, recipe in recipes() for package in asked(recipe))
    toolchain = subprocess.run(
        [os.path.join(ROOT, "Scripts/need.sh"), "--list", "@toolchain"], capture_output=True, text=True, check=True)
    debian.base = debian.closure(debian.base | set(toolchain.stdout.split()))
    products = Products()
    count, troubles = 0, []
    for name, recipe in recipes():
        if not options.targets or name in options.targets:
            count += 1
            troubles += check(name, recipe, debian, products)
    print("\n".join(troubles) if troubles else f"The package lists of {count} targets are what they use.")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
