"""Compiles small pieces of Swift with the modules that were built, which takes a second or two."""

import glob
import os
import subprocess

from cases.bench import Skipped, expect
from storms.places import ROOT

BUILD = os.path.realpath(os.path.join(ROOT, ".build/release"))
# An app that is built of all that a case's app imports.
EXAMPLE = "Misbehaver"


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)


def compiler_options() -> list[str]:
    """Options for code that imports the frameworks."""
    modules = os.path.join(BUILD, "Modules")
    if not os.path.exists(os.path.join(modules, "UIKit.swiftmodule")):
        raise Skipped("the modules are not built: swift build --configuration release")
    maps = glob.glob(BUILD + "/*.build/module.modulemap") + glob.glob(ROOT + "/Sources/*/module.modulemap")
    options = [word for path in maps for word in ("-Xcc", "-fmodule-map-file=" + path)]
    return ["-swift-version", "5", "-parse-as-library", "-I", modules, *options]


def build_app(source: str, program: str) -> None:
    """Makes the program of an app of one file. The frameworks in it are those of an example."""
    options = compiler_options()
    listed = f"{BUILD}/{EXAMPLE}.product/Objects.LinkFileList"
    if not os.path.exists(listed):
        raise Skipped(f"the app {EXAMPLE} is not built: swift build --configuration release")
    with open(listed) as file:
        objects = [line for line in file if f"/{EXAMPLE}.build/" not in line]
    with open(program + ".objects", "w") as file:
        file.writelines(objects)
    made = run(
        ["swiftc", *options, "-module-name", "Case", source, "-emit-executable", "-o", program, "-L", BUILD, "-Xlinker",
         "--gc-sections", "@" + program + ".objects"])
    os.remove(program + ".objects")
    expect(made.returncode == 0, made.stdout)
