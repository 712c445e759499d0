import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("The lock and the screen")
    @MainActor
    struct ScreenTests {
        @MainActor private final class Heard { var words: [String] = [] }

        /// Writes down what is posted while the body runs, with what the app reads then.
        private func listen(_ body: () async throws -> Void) async rethrows -> [String] {
            let heard = Heard()
            let names: [(Notification.Name, String)] = [
                (UIApplication.protectedDataWillBecomeUnavailableNotification, "will"),
                (UIApplication.protectedDataDidBecomeAvailableNotification, "did"),
                (UIApplication.userDidTakeScreenshotNotification, "screenshot"),
                (UIApplication.didEnterBackgroundNotification, "background"),
                (UIApplication.willEnterForegroundNotification, "foreground"),
            ]
            let observers = names.map { name, word in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    MainActor.assumeIsolated {
                        heard.words.append("\(word) \(UIApplication.shared.isProtectedDataAvailable)")
                    }
                }
            }
            defer { observers.forEach(NotificationCenter.default.removeObserver) }
            try await body()
            return heard.words
        }

        @Test(
            "An app that works on after the lock loses protected data ten seconds later, and has it back at the unlock")
        func protection() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe { probe in
                probe.onBackground = { $0.backgroundTask = UIApplication.shared.beginBackgroundTask {} }
            }
            try await device.open(probe)
            #expect(UIApplication.shared.isProtectedDataAvailable)
            let locked = try await listen {
                try await device.lock()
                try await device.advance(by: .seconds(9))
            }
            #expect(locked == ["will true", "background true"])
            #expect(UIApplication.shared.isProtectedDataAvailable)
            let later = try await listen { try await device.advance(by: .seconds(2)) }
            #expect(later.isEmpty && !UIApplication.shared.isProtectedDataAvailable)
            let unlocked = try await listen { try await device.unlock() }
            #expect(unlocked == ["did true", "foreground true"])
        }

        @Test("A suspended app hears nothing of a lock that is over, and a phone of 2009 has no protected data")
        func nothing() async throws {
            do {
                let device = try TestDevice()
                let probe = try device.installProbe()
                try await device.open(probe)
                try await device.home()
                let back = try await listen {
                    try await device.lock()
                    try await device.advance(by: .seconds(20))
                    try await device.unlock()
                    try await device.open(probe)
                }
                #expect(back == ["foreground true"])
            }
            let device = try TestDevice(.iPhoneOS3)
            let probe = try device.installProbe()
            try await device.open(probe)
            let locked = try await listen {
                try await device.lock()
                try await device.advance(by: .seconds(20))
            }
            #expect(locked.isEmpty && UIApplication.shared.isProtectedDataAvailable)
        }

        @Test("The screen is that of the profile's device, and a tablet is a tablet")
        func sizes() async throws {
            let devices: [(TestDevice.Profile, CGSize, CGFloat, UIUserInterfaceIdiom)] = [
                (.iPhone3GS, CGSize(width: 320, height: 480), 1, .phone),
                (.iPhone4, CGSize(width: 320, height: 480), 2, .phone),
                (.iOS7, CGSize(width: 320, height: 568), 2, .phone),
                (.iPadAir2, CGSize(width: 768, height: 1024), 2, .pad),
                (.linux, CGSize(width: 375, height: 667), 2, .phone),
            ]
            for (profile, size, scale, idiom) in devices {
                let device = try TestDevice(profile)
                let probe = try device.installProbe()
                try await device.open(probe)
                #expect(UIScreen.main.bounds.size == size && UIScreen.main.scale == scale)
                #expect(UIScreen.main.nativeBounds.width == size.width * scale)
                #expect(UIDevice.current.userInterfaceIdiom == idiom)
            }
        }

        @Test("A screenshot is told to the app that is on it")
        func screenshot() async throws {
            let device = try TestDevice()
            let probe = try device.installProbe()
            try await device.open(probe)
            #expect(try await listen { try await device.takeScreenshot() } == ["screenshot true"])
            try await device.home()
            let later = try await listen {
                try await device.takeScreenshot()
                try await device.open(probe)
            }
            #expect(later == ["foreground true"])
        }

        @Test("isIdleTimerDisabled keeps the screen on while the app is active")
        func idleTimer() async throws {
            let device = try TestDevice()
            let probe = try device.installProbe()
            try await device.open(probe)
            UIApplication.shared.isIdleTimerDisabled = true
            try await device.advance(by: .seconds(1))
            #expect(device.appKeepingScreenOn == "Probe")
            try await device.home()
            #expect(device.appKeepingScreenOn == nil)
            try await device.open(probe)
            #expect(device.appKeepingScreenOn == "Probe" && UIApplication.shared.isIdleTimerDisabled)
            UIApplication.shared.isIdleTimerDisabled = false
            try await device.advance(by: .seconds(1))
            #expect(device.appKeepingScreenOn == nil)
            #expect(device.log.filter { $0.event == "screenHeld" }.count == 2)
        }
    }
}
