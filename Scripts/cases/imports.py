"""Projects of Xcode: what `greenroom import` makes of them."""

import json
import os
from typing import NamedTuple

from cases.bench import Bench, case, expect, text
from storms.places import ROOT


class Package(NamedTuple):
    """What an import wrote, and what it printed."""

    folder: str
    report: str

    def file(self, path: str) -> str:
        found = os.path.join(self.folder, path)
        return text(found) if os.path.exists(found) else ""

    @property
    def sources(self) -> list[str]:
        """The names of the files that are compiled."""
        paths = json.loads(self.file("Sources/Case/ios.json") or "{}").get("sources", [])
        return [os.path.basename(path) for path in paths]

    @property
    def everything(self) -> str:
        """All files of the package, one after another."""
        parts = []
        for place, _, names in os.walk(self.folder):
            for name in sorted(names):
                parts.append(f"{os.path.relpath(os.path.join(place, name), self.folder)}\n")
                parts.append(text(os.path.join(place, name)))
        return "".join(parts)


def imported(bench: Bench, project: str) -> Package:
    """Imports a project as a developer does, whose PATH has Swift and its clang."""
    folder = os.path.join(bench.folder, "package")
    bench.system.environment["PATH"] += ":" + os.environ["PATH"]
    result = bench.system.run("import", project, "--output", folder, "--greenroom", ROOT)
    expect(result.code == 0, result.output)
    return Package(folder, result.output)


@case("H1")
def resources_of_folder(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H1-H2-sync"))
    for name in ("ping.txt", "beep.json"):
        expect(name in package.everything, f"the resource {name} is lost: {package.report}")


@case("H2")
def exceptions(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H1-H2-sync"))
    expect(sorted(package.sources) == ["App.swift", "Common.swift"], f"compiled: {package.sources}")


@case("H3")
def filtered(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H3-filter"))
    expect(sorted(package.sources) == ["App.swift", "PadMac.swift"], f"compiled: {package.sources}")


@case("H4")
def local_package(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H4-local"))
    manifest = package.file("Package.swift")
    is_used = "H4-local/Core" in manifest and '"Core"' in manifest
    expect(is_used or "Core" in package.report, f"the local package is lost without a word: {manifest}{package.report}")


@case("H5")
def preprocessed(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H5-preprocess"))
    plist = package.file("Apps/Case/Info.plist")
    expect("<string>fetch</string>" in plist and "#if" not in plist, f"{plist}{package.report}")


@case("H6")
def directory_of_project(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H6-dirpath"))
    expect("Case: 1 Swift files" in package.report, package.report)
    expect(package.sources == ["App.swift"], f"compiled: {package.sources}")


@case("H12")
def excluded_by_name(bench: Bench) -> None:
    package = imported(bench, bench.input("projects/H12-excluded"))
    expect(package.sources == ["App.swift"], f"compiled: {package.sources}")
    found = package.everything + package.report
    for name in ("PAID", "CHANNEL_RELEASE"):
        expect(name in found, f"the condition {name} is lost without a word")


# A target for a Mac, in the form of the other projects.
FOR_MAC = """// !$*UTF8*$!
{ archiveVersion = 1; objectVersion = 77; objects = {
P = { isa = PBXProject; mainGroup = G; targets = (APP, MAC); buildConfigurationList = PL; };
PL = { isa = XCConfigurationList; buildConfigurations = (PC); defaultConfigurationName = Release; };
PC = { isa = XCBuildConfiguration; name = Release; buildSettings = { SDKROOT = iphoneos; }; };
AL = { isa = XCConfigurationList; buildConfigurations = (AC); defaultConfigurationName = Release; };
AC = { isa = XCBuildConfiguration; name = Release; buildSettings = {
    PRODUCT_BUNDLE_IDENTIFIER = org.example.case; PRODUCT_NAME = Case; GENERATE_INFOPLIST_FILE = YES; }; };
ML = { isa = XCConfigurationList; buildConfigurations = (MC); defaultConfigurationName = Release; };
MC = { isa = XCBuildConfiguration; name = Release; buildSettings = {
    PRODUCT_BUNDLE_IDENTIFIER = org.example.desk; PRODUCT_NAME = Desk; SDKROOT = macosx; }; };
R0 = { isa = PBXFileReference; path = App.swift; sourceTree = "<group>"; };
B0 = { isa = PBXBuildFile; fileRef = R0; }; B1 = { isa = PBXBuildFile; fileRef = R0; };
G = { isa = PBXGroup; sourceTree = "<group>"; path = Case; children = (R0); };
S = { isa = PBXSourcesBuildPhase; files = (B0); }; T = { isa = PBXSourcesBuildPhase; files = (B1); };
APP = { isa = PBXNativeTarget; name = Case; productType = "com.apple.product-type.application"; buildPhases = (S);
    buildConfigurationList = AL; };
MAC = { isa = PBXNativeTarget; name = Desk; productType = "com.apple.product-type.application"; buildPhases = (T);
    buildConfigurationList = ML; };
}; rootObject = P; }
"""


@case("N2")
def for_mac(bench: Bench) -> None:
    bench.write("mac/Case.xcodeproj/project.pbxproj", FOR_MAC)
    bench.write("mac/Case/App.swift", "import UIKit\n")
    package = imported(bench, os.path.join(bench.folder, "mac"))
    manifest = package.file("Package.swift")
    expect('"Case"' in manifest and '"Desk"' not in manifest, manifest)
    expect("Desk" in package.report, f"the target is left out without a word: {package.report}")
