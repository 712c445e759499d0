"""Apple's frameworks: triggers in any calendar, and background tasks. No example app shows these, so Swift tests do."""

from cases.bench import Bench, case
from cases.swift_tests import run_tests


@case("G1")
def other_calendars(bench: Bench) -> None:
    run_tests("UserNotificationsTests", "other calendar|Buddhist|Hebrew|Persian")


@case("G2")
def fixed_zones(bench: Bench) -> None:
    run_tests("NotificationsServiceTests.CalendarRequestTests", "distance from Greenwich")


@case("G3", "G4")
def registered_tasks(bench: Bench) -> None:
    run_tests("UIKitTests.*WindowTests", "Only tasks that Info.plist names|A task is launched with its class")
