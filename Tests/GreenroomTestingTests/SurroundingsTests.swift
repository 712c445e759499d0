import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("What changes around an app")
    @MainActor
    struct SurroundingsTests {
        private static let names: [Notification.Name] = [
            UserDefaults.didChangeNotification, NSLocale.currentLocaleDidChangeNotification, .NSSystemTimeZoneDidChange,
            UIApplication.significantTimeChangeNotification, UIScreen.didConnectNotification,
            UIScreen.brightnessDidChangeNotification, UIDevice.batteryStateDidChangeNotification,
            UIDevice.batteryLevelDidChangeNotification, UIDevice.networkDidChangeNotification,
            UIApplication.willEnterForegroundNotification,
        ]
        private static let laterNames: [Notification.Name] = [
            UIApplication.backgroundRefreshStatusDidChangeNotification, .NSProcessInfoPowerStateDidChange,
            ProcessInfo.thermalStateDidChangeNotification, UIDevice.orientationDidChangeNotification,
            .CNContactStoreDidChange,
        ]

        /// Writes down the notifications that come while the body runs.
        private func listen(_ body: () async throws -> Void) async rethrows -> [Notification.Name] {
            let heard = Heard()
            let observers = (Self.names + Self.laterNames).map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let name = notification.name
                    MainActor.assumeIsolated { heard.names.append(name) }
                }
            }
            defer { observers.forEach(NotificationCenter.default.removeObserver) }
            try await body()
            return heard.names
        }

        @MainActor private final class Heard { var names: [Notification.Name] = [] }

        @Test("What changed while it was suspended comes in one burst, in order, before it enters the foreground")
        func burst() async throws {
            let device = try TestDevice(.iOS7)
            defer { UserDefaults.standard.removeObject(forKey: "quality") }
            let probe = try device.installProbe()
            try await device.setNetwork(.wifi)
            try await device.setBattery(80)
            try await device.open(probe)
            UIDevice.current.isBatteryMonitoringEnabled = true
            defer { UIDevice.current.isBatteryMonitoringEnabled = false }
            #expect(UIDevice.current.networkKind == .wifi && UIDevice.current.batteryLevel == 0.8)
            try await device.home()
            let silence = try await listen {
                try await device.setNetwork(.none)
                try await device.setLocale("de_DE")
                try await device.setTimeZone("Asia/Tokyo", secondsFromGMT: 9 * 3600)
                try await device.setBattery(20, isCharging: true)
                try await device.setBrightness(0.4)
                try await device.setExternalScreens(1)
                try await device.setSetting("quality", of: probe, to: "3")
            }
            #expect(silence.isEmpty && probe.state == .suspended)
            let burst = try await listen { try await device.open(probe) }
            #expect(burst == Self.names)
            #expect(UIDevice.current.networkKind == .none && UIDevice.current.batteryState == .charging)
            #expect(UIScreen.main.brightness == 0.4 && UIDevice.current.localeIdentifier == "de_DE")
            #expect(UserDefaults.standard.integer(forKey: "quality") == 3)
            #expect(probe.delegate?.significantChanges == 1)
        }

        @Test("What was undone meanwhile is not told, and an app that runs hears at once")
        func net() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.setNetwork(.wifi)
            try await device.open(probe)
            let running = try await listen { try await device.setNetwork(.cellular) }
            #expect(running == [UIDevice.networkDidChangeNotification])
            try await device.home()
            let back = try await listen {
                try await device.setNetwork(.none)
                try await device.setNetwork(.cellular)
                try await device.open(probe)
            }
            #expect(back == [UIApplication.willEnterForegroundNotification])
            let launched = try await listen {
                try await device.close(probe)
                try await device.setNetwork(.wifi)
                try await device.open(probe)
            }
            #expect(launched.isEmpty, "a new process is not told of the past")
            #expect(UIDevice.current.networkKind == .wifi)
        }

        @Test("Power, warmth and orientation are told like the rest, with Apple's names and values")
        func power() async throws {
            let device = try TestDevice(.linux)
            let probe = try device.installProbe()
            try await device.open(probe)
            let (process, current) = (ProcessInfo.processInfo, UIDevice.current)
            #expect(!process.isLowPowerModeEnabled && process.thermalState == .nominal)
            #expect(UIApplication.shared.backgroundRefreshStatus == .available)
            try await device.setOrientation(.portrait)
            #expect(current.orientation == .unknown, "nobody has asked for it")
            current.beginGeneratingDeviceOrientationNotifications()
            current.beginGeneratingDeviceOrientationNotifications()
            current.endGeneratingDeviceOrientationNotifications()
            #expect(current.isGeneratingDeviceOrientationNotifications && current.orientation == .portrait)
            try await device.home()
            let burst = try await listen {
                try await device.setLowPowerMode(true)
                try await device.setThermalState(.serious)
                try await device.setOrientation(.landscapeLeft)
                try await device.open(probe)
            }
            #expect(
                burst == [
                    UIApplication.backgroundRefreshStatusDidChangeNotification, .NSProcessInfoPowerStateDidChange,
                    ProcessInfo.thermalStateDidChangeNotification, UIDevice.orientationDidChangeNotification,
                    UIApplication.willEnterForegroundNotification,
                ])
            #expect(process.isLowPowerModeEnabled && process.thermalState == .serious)
            #expect(UIApplication.shared.backgroundRefreshStatus == .denied)
            #expect(current.orientation == .landscapeLeft && current.orientation.isLandscape)
            current.endGeneratingDeviceOrientationNotifications()
            let silence = try await listen { try await device.setOrientation(.faceUp) }
            #expect(silence.isEmpty && current.orientation == .unknown)
            let low = try await listen {
                try await device.setLowPowerMode(false)
                try await device.setBattery(20)
            }
            #expect(
                low.filter { $0 == .NSProcessInfoPowerStateDidChange }.count == 2, "the battery switches it on again")
        }

        @Test("What apps share is told with Apple's name where there is one, and with its own")
        func stores() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.changeSharedStore("contacts")
            try await device.open(probe)
            try await device.home()
            let heard = Heard()
            let observer = NotificationCenter.default.addObserver(
                forName: UIDevice.sharedStoreDidChangeNotification, object: nil, queue: nil
            ) { notification in
                let store = notification.userInfo?[UIDevice.sharedStoreNameKey] as? String ?? "-"
                MainActor.assumeIsolated { heard.names.append(Notification.Name(store)) }
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            let burst = try await listen {
                try await device.changeSharedStore("contacts")
                try await device.changeSharedStore("recipes")
                try await device.changeSharedStore("contacts")
                try await device.open(probe)
            }
            #expect(burst == [.CNContactStoreDidChange, UIApplication.willEnterForegroundNotification])
            #expect(heard.names.map(\.rawValue) == ["contacts", "recipes"])
        }

        @Test("Midnight is told to the app that runs")
        func midnight() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await device.advance(by: .seconds(23 * 3600))
            #expect(probe.delegate?.significantChanges == 0)
            try await device.advance(by: .seconds(3601))
            #expect(probe.delegate?.significantChanges == 1)
        }
    }
}
