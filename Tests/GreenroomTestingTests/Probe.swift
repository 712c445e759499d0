import Dispatch
import GreenroomTesting
import Testing
import UIKit

/// Everything here needs `UIApplication.shared` for itself.
@Suite("GreenroomTesting", .simulatedDevice)
@MainActor
struct TestingTests {}

/// An app that writes down what it is told, and does what a test puts in.
class Probe: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    var clock: any Clock<Duration> = ContinuousClock()
    var trace: [String] = []
    var significantChanges = 0
    var launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    var tasks: [Task<Void, Never>] = []
    var backgroundTask = UIBackgroundTaskIdentifier.invalid
    var source: (any DispatchSourceTimer)?
    var opened: [(url: URL, source: String?)] = []
    var onLaunch: (Probe) -> Void = { _ in }
    var onBackground: (Probe) -> Void = { _ in }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        self.launchOptions = launchOptions
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.makeKeyAndVisible()
        onLaunch(self)
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) { onBackground(self) }

    func applicationSignificantTimeChange(_ application: UIApplication) { significantChanges += 1 }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        opened.append((url, options[.sourceApplication] as? String))
        return true
    }
}

extension TestDevice {
    func installProbe(
        urlSchemes: [String] = ["probe"], backgroundModes: [String] = [], configure: ((Probe) -> Void)? = nil
    ) throws -> TestedApp<Probe> {
        try install(
            Probe.self, identifier: "org.example.Probe", urlSchemes: urlSchemes, backgroundModes: backgroundModes,
            clock: \.clock, configure: configure)
    }
}
