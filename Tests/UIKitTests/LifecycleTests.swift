import AppRuntime
import GreenroomTesting
import Testing
import UIKit
import Wire

/// `UIApplication.shared` and the main thread are one for the process: nothing here runs beside another, or beside a
/// simulated device.
@Suite("UIKit", .serialized, .simulatedDevice)
@MainActor
struct UIKitTests {}

/// Writes down what it is told, and the app's state at that moment.
final class Recorder: UIResponder, UIApplicationDelegate {
    var events: [String] = []
    var launchOptions: [[UIApplication.LaunchOptionsKey: Any]?] = []
    var openedURLs: [URL] = []
    var sources: [String?] = []
    var acceptsLaunch = true
    private var observers: [any NSObjectProtocol] = []

    func observe(_ application: UIApplication) {
        for name in [
            UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
            UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
            UIApplication.didReceiveMemoryWarningNotification,
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: application, queue: nil) {
                    [weak self] notification in
                    let name = notification.name.rawValue
                    MainActor.assumeIsolated { self?.record(name.replacing("UIApplication", with: "")) }
                })
        }
    }

    func forget() { observers.forEach(NotificationCenter.default.removeObserver) }

    private func record(_ event: String) { events.append("\(event) \(UIApplication.shared.applicationState)") }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        record("willFinishLaunching")
        self.launchOptions.append(launchOptions)
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        record("didFinishLaunching")
        self.launchOptions.append(launchOptions)
        return acceptsLaunch
    }

    func applicationDidFinishLaunching(_ application: UIApplication) { record("neverCalled") }
    func applicationDidBecomeActive(_ application: UIApplication) { record("didBecomeActive") }
    func applicationWillResignActive(_ application: UIApplication) { record("willResignActive") }
    func applicationDidEnterBackground(_ application: UIApplication) { record("didEnterBackground") }
    func applicationWillEnterForeground(_ application: UIApplication) { record("willEnterForeground") }
    func applicationWillTerminate(_ application: UIApplication) { record("willTerminate") }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { record("didReceiveMemoryWarning") }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        record("open")
        openedURLs.append(url)
        sources.append(options[.sourceApplication] as? String)
        return url.scheme == "test"
    }
}

extension UIKitTests {
    @Suite("Lifecycle")
    @MainActor
    struct LifecycleTests {
        let application = UIApplication()
        let recorder = Recorder()
        let lifecycle: Lifecycle

        init() {
            application.becomeShared()
            lifecycle = Lifecycle(application)
            application.delegate = recorder
            recorder.observe(application)
        }

        @discardableResult
        private func call(_ name: CallbackName, _ params: JSONValue = [:]) -> JSONValue {
            lifecycle.handle(Callback(seq: 1, name: name, params: params))
        }

        @Test("Each delegate method is followed by its notification, with Apple's application state at each moment")
        func states() {
            defer { recorder.forget() }
            let inactive: JSONValue = ["state": "inactive", "options": [:]]
            for (name, params) in [
                (CallbackName.willFinishLaunching, inactive), (.didFinishLaunching, inactive), (.didBecomeActive, [:]),
                (.willResignActive, [:]), (.didEnterBackground, [:]), (.willEnterForeground, [:]),
                (.didBecomeActive, [:]), (.willResignActive, [:]), (.didBecomeActive, [:]), (.willResignActive, [:]),
                (.didEnterBackground, [:]), (.willTerminate, [:]),
            ] {
                #expect(call(name, params) == [:])
            }
            #expect(
                recorder.events == [
                    "willFinishLaunching inactive", "didFinishLaunching inactive",
                    "DidFinishLaunchingNotification inactive", "didBecomeActive active",
                    "DidBecomeActiveNotification active", "willResignActive active",
                    "WillResignActiveNotification active", "didEnterBackground background",
                    "DidEnterBackgroundNotification background", "willEnterForeground background",
                    "WillEnterForegroundNotification background", "didBecomeActive active",
                    "DidBecomeActiveNotification active", "willResignActive active",
                    "WillResignActiveNotification active", "didBecomeActive active",
                    "DidBecomeActiveNotification active", "willResignActive active",
                    "WillResignActiveNotification active", "didEnterBackground background",
                    "DidEnterBackgroundNotification background", "willTerminate background",
                    "WillTerminateNotification background",
                ])
        }

        @Test("Between the callbacks the app is inactive")
        func between() {
            defer { recorder.forget() }
            call(.willFinishLaunching, ["state": "inactive"])
            call(.didBecomeActive)
            call(.willResignActive)
            #expect(application.applicationState == .inactive)
            call(.didEnterBackground)
            call(.willEnterForeground)
            #expect(application.applicationState == .inactive)
        }

        @Test("A launch into the background is one from the first callback on, and says why")
        func backgroundLaunch() throws {
            defer { recorder.forget() }
            let params: JSONValue = [
                "state": "background", "options": ["location": true, "remoteNotification": ["aps": ["badge": 1]]],
            ]
            call(.willFinishLaunching, params)
            call(.didFinishLaunching, params)
            call(.didEnterBackground)
            #expect(recorder.events.allSatisfy { $0.hasSuffix(" background") })
            let options = try #require(recorder.launchOptions.last ?? nil)
            #expect(options[.location] as? Bool == true)
            let payload = try #require(options[.remoteNotification] as? [AnyHashable: Any])
            #expect((payload["aps"] as? [AnyHashable: Any])?["badge"] as? Int == 1)
            #expect(options[.url] == nil)
        }

        @Test("An app that the user opened gets no launch options")
        func noOptions() {
            defer { recorder.forget() }
            call(.willFinishLaunching, ["state": "inactive", "options": [:]])
            call(.didFinishLaunching, ["state": "inactive"])
            #expect(recorder.launchOptions.count == 2)
            #expect(recorder.launchOptions.allSatisfy { $0 == nil })
        }

        @Test("A URL that launched the app is in its options and is then opened")
        func launchURL() throws {
            defer { recorder.forget() }
            launch(with: "test://a")
            let options = try #require(recorder.launchOptions.last ?? nil)
            #expect(options[.url] as? URL == URL(string: "test://a"))
            #expect(options[.sourceApplication] as? String == "org.example.other")
            #expect(call(.openURL, ["url": "test://a", "sourceApplication": "org.example.other"]) == ["handled": true])
            #expect(recorder.sources == ["org.example.other"])
        }

        @Test("A launch method that returns false keeps the launch URL from being opened, but no later one")
        func refusedLaunchURL() {
            defer { recorder.forget() }
            recorder.acceptsLaunch = false
            launch(with: "test://a")
            #expect(call(.openURL, ["url": "test://a"]) == ["handled": false])
            #expect(recorder.openedURLs.isEmpty)
            #expect(call(.openURL, ["url": "test://a", "sourceApplication": nil]) == ["handled": true])
            #expect(call(.openURL, ["url": "other://b"]) == ["handled": false])
            #expect(recorder.openedURLs.map(\.absoluteString) == ["test://a", "other://b"])
            #expect(recorder.sources == [nil, nil])
        }

        private func launch(with url: String) {
            let params: JSONValue = [
                "state": "inactive", "options": ["url": .string(url), "sourceApplication": "org.example.other"],
            ]
            call(.willFinishLaunching, params)
            call(.didFinishLaunching, params)
        }

        @Test("The old launch method is called where the new one is not implemented")
        func oldLaunchMethod() throws {
            defer { recorder.forget() }
            let delegate = OldAppDelegate()
            application.delegate = delegate
            call(.willFinishLaunching, ["state": "inactive"])
            call(.didFinishLaunching, ["state": "inactive"])
            #expect(delegate.launches == 42)
        }
    }
}
