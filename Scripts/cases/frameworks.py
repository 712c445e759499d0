"""Apple's frameworks: triggers in any calendar, and background tasks. An app is compiled that prints their answers."""

import os
import plistlib

from cases.bench import Bench, case, expect
from cases.swift_code import build_app

CALENDARS = [
    "buddhist", "hebrew", "persian", "chinese", "japanese", "islamicUmmAlQura", "indian", "ethiopicAmeteMihret"]
OFFSETS = [7200, -12_600, 0, 20_700]
# It prints a line for each answer.
APP = """
import BackgroundTasks
import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print("named:", register("refresh"))
        print("not named:", register("other"))
        print("twice:", register("refresh"))
        UNUserNotificationCenter.current().requestAuthorization(options: .alert) { _, _ in self.schedule() }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        print("late:", register("late"))
    }

    private func register(_ name: String) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "org.example.case." + name, using: nil) { _ in }
    }

    nonisolated private func schedule() {
        let calendars: [(String, Calendar.Identifier)] = [CALENDARS]
        for (name, identifier) in calendars {
            let calendar = Calendar(identifier: identifier)
            var units = calendar.dateComponents([.era, .year, .month, .day, .hour], from: Date() + 90 * 86_400)
            units.calendar = calendar
            add("calendar \\(name)", units)
        }
        for seconds in [OFFSETS] {
            add("zone \\(seconds)", DateComponents(timeZone: TimeZone(secondsFromGMT: seconds), hour: 8))
        }
    }

    nonisolated private func add(_ name: String, _ units: DateComponents) {
        let content = UNMutableNotificationContent()
        content.title = name
        let trigger = UNCalendarNotificationTrigger(dateMatching: units, repeats: false)
        let request = UNNotificationRequest(identifier: name, content: content, trigger: trigger)
        UNUserNotificationCenter.current().add(request) { error in
            let date = trigger.nextTriggerDate().map { "\\(Int($0.timeIntervalSince1970))" } ?? "never"
            print("\\(name): \\(date), \\(error.map { "\\($0)" } ?? "added")")
        }
    }
}
"""
INFO = {
    "CFBundleIdentifier": "org.example.case", "CFBundleName": "Case", "CFBundleExecutable": "Case",
    "BGTaskSchedulerPermittedIdentifiers": ["org.example.case.refresh", "org.example.case.late"],
    "UIBackgroundModes": ["fetch"]}


def answers(bench: Bench, *awaited: str) -> tuple[dict[str, str], str]:
    """What the app prints: its lines by how they begin, and all of it. The awaited words come in any order."""
    bench.write("Case.app/Info.plist", plistlib.dumps(INFO))
    calendars = ", ".join(f'("{name}", .{name})' for name in CALENDARS)
    code = APP.replace("[CALENDARS]", f"[{calendars}]").replace("[OFFSETS]", str(OFFSETS))
    build_app(bench.write("Case.swift", code), os.path.join(bench.folder, "Case.app/Case"))
    system = bench.up()
    system.must("install", os.path.join(bench.folder, "Case.app"))
    system.must("open", "org.example.case")
    output = bench.output("org.example.case", *awaited)
    missing = [word for word in awaited if word not in output]
    expect(not missing, f"the app did not print {missing}: {output}")
    return dict(line.split(": ", 1) for line in output.splitlines() if ": " in line), output


def scheduled(bench: Bench, *names: str) -> None:
    """Each request must be accepted, and wait for the date that its trigger names."""
    found, _ = answers(bench, *(name + ":" for name in names))
    refused = {name: found[name] for name in names if not found[name].endswith(", added")}
    expect(not refused, f"refused: {refused}")
    dates = {one["request"]["identifier"]: str(round(one["date"])) for one in bench.system.json("notifications")}
    wrong = {name: (found[name], dates.get(name)) for name in names if found[name].split(",")[0] != dates.get(name)}
    expect(not wrong, f"the dates are not those of the triggers: {wrong}")


@case("G1")
def other_calendars(bench: Bench) -> None:
    scheduled(bench, *(f"calendar {name}" for name in CALENDARS))


@case("G2")
def fixed_zones(bench: Bench) -> None:
    scheduled(bench, *(f"zone {seconds}" for seconds in OFFSETS))


@case("G3", "G4")
def registered_tasks(bench: Bench) -> None:
    found, output = answers(bench, "late:")
    wanted = {"named": "true", "not named": "false", "twice": "false", "late": "false"}
    expect(wanted.items() <= found.items(), f"the app printed {output}")
    expect(output.count("BGTaskScheduler: the task") == 3, f"a refusal has no sentence: {output}")
