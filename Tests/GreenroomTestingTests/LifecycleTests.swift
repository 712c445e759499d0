import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("The life of an app")
    @MainActor
    struct LifecycleTests {
        @Test("An app launches, leaves, is suspended and comes back in the same process")
        func leavesAndReturns() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            #expect(probe.state == .notRunning)
            try await device.open(probe)
            #expect(probe.state == .active && probe.isVisible)
            #expect(probe.application?.applicationState == .active)
            #expect(UIApplication.shared === probe.application)
            #expect(probe.takeCallbacks() == [.willFinishLaunching, .didFinishLaunching, .didBecomeActive])
            let delegate = probe.delegate
            try await device.home()
            #expect(probe.state == .suspended && !probe.isVisible)
            #expect(probe.takeCallbacks() == [.willResignActive, .didEnterBackground])
            try await device.open(probe)
            #expect(probe.takeCallbacks() == [.willEnterForeground, .didBecomeActive])
            #expect(probe.delegate === delegate && probe.launches == 1)
            #expect(probe.callbacks.count == 7)
            #expect(device.reports.isEmpty && probe.reports.isEmpty)
        }

        @Test(
            "Whatever lies over the screen makes the app inactive, and nothing more",
            arguments: TestDevice.Interruption.allCases)
        func interrupted(by interruption: TestDevice.Interruption) async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            _ = probe.takeCallbacks()
            try await device.interrupt(by: interruption)
            #expect(probe.state == .inactive)
            try await device.dismiss(interruption)
            #expect(probe.state == .active)
            #expect(probe.takeCallbacks() == [.willResignActive, .didBecomeActive])
        }

        @Test("A call that is taken sends the app to the background; it is back when the call ends")
        func call() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await device.interrupt(by: .call)
            try await device.accept(.call)
            #expect(probe.state == .suspended)
            try await device.endCall()
            #expect(probe.state == .active)
        }

        @Test("Locking means what it means on the profile")
        func lock() async throws {
            for (profile, state) in [(TestDevice.Profile.iOS7, InstalledApp.State.suspended), (.iPhone4, .inactive)] {
                let device = try TestDevice(profile)
                let probe = try device.installProbe()
                try await device.open(probe)
                try await device.lock()
                #expect(probe.state == state, "\(profile)")
                try await device.unlock()
                #expect(probe.state == .active)
                try await device.sleep()
                try await device.wake()
                try await device.unlock()
                #expect(probe.state == .active)
            }
        }

        @Test("The switcher makes inactive; closing an app there ends it, with a word only if it runs")
        func switcher() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await device.openSwitcher()
            #expect(probe.state == .inactive)
            try await device.closeSwitcher()
            #expect(probe.state == .active)
            try await device.close(probe)
            #expect(probe.state == .notRunning && probe.callbacks.last == .willTerminate)
            try await device.open(probe)
            try await device.home()
            _ = probe.takeCallbacks()
            try await device.close(probe)
            #expect(probe.state == .notRunning && probe.takeCallbacks().isEmpty)
        }

        @Test("On a device without multitasking the app hears of it, and ends when it leaves")
        func withoutMultitasking() async throws {
            let device = try TestDevice(.iPhoneOS3)
            let probe = try device.installProbe { probe in
                probe.onLaunch = { $0.trace.append("\(UIDevice.current.isMultitaskingSupported)") }
            }
            try await device.open(probe)
            #expect(probe.delegate?.trace == ["false"])
            try await device.home()
            #expect(probe.state == .notRunning)
        }

        @Test("With its process goes the app: its delegate, its windows, and UIApplication.shared")
        func ends() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            weak let delegate = probe.delegate
            weak let window = probe.delegate?.window
            weak let application = probe.application
            #expect(delegate != nil && window != nil && application != nil)
            try await device.close(probe)
            #expect(delegate == nil && window == nil && application == nil)
            #expect(probe.delegate == nil && UIApplication.running == nil)
            try await device.open(probe)
            #expect(probe.delegate?.window != nil && probe.launches == 2)
            try await device.reboot()
            #expect(probe.state == .notRunning && probe.delegate == nil)
        }

        @Test("An end that nobody expects is an end all the same, and is written down")
        func crash() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            await #expect(throws: TestDeviceError.notRunning("Probe is not running: open it first")) {
                try await probe.crash()
            }
            try await device.open(probe)
            try await probe.crash()
            #expect(probe.state == .notRunning && probe.delegate == nil)
            let report = try #require(probe.reports.first)
            #expect(report.namespace == "SIGNAL" && report.code == 11 && report.reason.contains("SIGSEGV"))
        }

        @Test("Its last use gone, the device takes everything down")
        func deviceEnds() async throws {
            var device: TestDevice? = try TestDevice(.iOS7)
            let container = try #require(device?.container.path)
            do {
                let probe = try #require(try device?.installProbe())
                try await device?.open(probe)
                #expect(FileManager.default.fileExists(atPath: container))
            }
            device = nil
            #expect(UIApplication.running == nil)
            #expect(!FileManager.default.fileExists(atPath: container))
        }
    }
}
