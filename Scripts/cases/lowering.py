"""Swift code of iOS: lowered as the plugin lowers it, and then compiled with the modules that were built."""

import glob
import os
import tempfile

from cases.bench import Bench, case, expect
from cases.swift_code import BUILD, compiler_options, run
from storms.places import ROOT

# Without symbols of these, an import is only a warning. They are all in Apple's documentation.
ABSENT = """
    AudioToolbox CoreHaptics CoreAudio CoreMIDI VideoToolbox AudioUnit OpenGLES GLKit ModelIO RealityKit MetalKit
    MetalPerformanceShaders CoreML NaturalLanguage SoundAnalysis CoreNFC ExternalAccessory PassKit AddressBook
    AddressBookUI AssetsLibrary iAd NewsstandKit Twitter Accounts BusinessChat ClassKit CarPlay DeviceCheck
    FileProvider FileProviderUI GameController GameplayKit IdentityLookup IntentsUI LinkPresentation Messages
    NotificationCenter OpenAL PencilKit QuickLookThumbnailing ReplayKit SensorKit ShazamKit ThreadNetwork
    UserNotificationsUI VisionKit CoreAudioKit CoreAudioTypes AutomaticAssessmentConfiguration ActivityKit AppClip
    BackgroundAssets CallKit ClockKit CreateML DeveloperToolsSupport ExtensionKit GroupActivities Matter
    MusicKit NearbyInteraction ProximityReader PushToTalk RoomPlan SafetyKit ScreenTime TipKit Translation WeatherKit
""".split()


def compiled(bench: Bench, *paths: str) -> tuple[int, str]:
    """Lowers the files and compiles what they became. Returns the exit code, and what both steps printed."""
    options = compiler_options()
    output = tempfile.mkdtemp(dir=bench.folder)
    program = os.path.join(os.path.dirname(os.path.dirname(BUILD)), "plugins/greenroom-lower")
    lowered = run([os.path.join(ROOT, "Plugins/Lowering/lower"), program, "swiftc", "--output", output, *paths])
    if lowered.returncode != 0:
        return lowered.returncode, lowered.stdout
    checked = run(["swiftc", "-typecheck", *options, *glob.glob(output + "/*.swift")])
    return checked.returncode, lowered.stdout + checked.stdout


def compiles(bench: Bench, name: str, code: str) -> str:
    result, words = compiled(bench, bench.write(name, code))
    expect(result == 0, f"{name}: {words}")
    return words


@case("G6")
def apple_library(bench: Bench) -> None:
    result, words = compiled(bench, bench.input("lowering/G6Darwin/Clock.swift"))
    expect(result == 0, words)
    compiles(bench, "Negated.swift", '#if !canImport(Darwin)\n#error("not on iOS")\n#endif\nimport Foundation\n')


@case("G7")
def absent_modules(bench: Bench) -> None:
    result, words = compiled(bench, bench.input("lowering/G7Toolbox/Buzz.swift"))
    expect(result == 0 and "warning" in words and "AudioToolbox" in words, words)
    code = "import UIKit\n" + "".join(f"import {name}\n" for name in ABSENT) + "final class Silent {}\n"
    words = compiles(bench, "Imports.swift", code)
    silent = [name for name in ABSENT if name not in words]
    expect(not silent, f"no warning about {' '.join(silent)}")
    use = "import UIKit\nimport CoreHaptics\nfunc begin() throws { try CHHapticEngine().start() }\n"
    result, words = compiled(bench, bench.write("Use.swift", use))
    expect(result != 0 and "CoreHaptics" in words, f"a use of an absent module is no error that names it: {words}")


@case("G9")
def later_version(bench: Bench) -> None:
    code = """
        import BackgroundTasks
        func begin() {
            if #available(iOS 26.0, *) {
                let request = BGContinuedProcessingTaskRequest(identifier: "a.b", title: "t", subtitle: "s")
                try? BGTaskScheduler.shared.submit(request)
            } else {
                print("older")
            }
            guard #available(iOS 26, *) else { return }
            SomethingOfLater.begin()
        }
    """
    compiles(bench, "Later.swift", code)
