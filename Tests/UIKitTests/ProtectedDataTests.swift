import AppRuntime
import Foundation
import Testing
import UIKit
import Wire

extension UIKitTests {
    /// What the device's lock and its screen mean for an app, on the wire.
    @Suite("Protected data, screenshots and the idle timer")
    @MainActor
    struct ProtectedDataTests {
        final class Keeper: UIResponder, UIApplicationDelegate {
            var heard: [String] = []
            private var tokens: [any NSObjectProtocol] = []

            func listen() {
                let names: [(Notification.Name, String)] = [
                    (UIApplication.protectedDataWillBecomeUnavailableNotification, "will, posted"),
                    (UIApplication.protectedDataDidBecomeAvailableNotification, "did, posted"),
                    (UIApplication.userDidTakeScreenshotNotification, "screenshot"),
                ]
                tokens = names.map { name, word in
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
                        let isApp = note.object is UIApplication
                        MainActor.assumeIsolated { self?.heard.append(isApp ? word : "\(word) by another") }
                    }
                }
            }

            isolated deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

            func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
                heard.append("will, \(application.isProtectedDataAvailable ? "available" : "gone")")
            }

            func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
                heard.append("did, \(application.isProtectedDataAvailable ? "available" : "gone")")
            }
        }

        private func start() async throws -> (FakeDaemon, UIApplication, Keeper) {
            let (daemon, environment) = try FakeDaemon.pair()
            let application = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: Keeper.self, environment)
            try await daemon.greet(["protocol": 1, "options": ["multitasking": true]])
            let keeper = try #require(application.delegate as? Keeper)
            keeper.listen()
            return (daemon, application, keeper)
        }

        private func tell(_ daemon: FakeDaemon, _ protectedData: String?, screenshots: Int64 = 0) async throws {
            var params: JSONObject = ["screenshots": .int(screenshots)]
            if let protectedData { params["protectedData"] = .string(protectedData) }
            daemon.send(.notification(method: "systemChanged", params: .object(params)))
            // Behind the notification, and answered on the main thread.
            daemon.send(.request(id: .string("ping"), method: "ping", params: .null))
            while true { if case .response(.string("ping"), _) = try await daemon.next() { return } }
        }

        @Test(
            "The delegate is called before the notification: in time before protected data goes, and after it is back")
        func order() async throws {
            let (daemon, application, keeper) = try await start()
            defer { application.connection?.stop() }
            try await tell(daemon, "available")
            #expect(application.isProtectedDataAvailable && keeper.heard.isEmpty)
            try await tell(daemon, "ending")
            #expect(keeper.heard == ["will, available", "will, posted"])
            try await tell(daemon, "unavailable")
            #expect(!application.isProtectedDataAvailable && keeper.heard.count == 2)
            try await tell(daemon, "available")
            #expect(keeper.heard.suffix(2) == ["did, available", "did, posted"])
        }

        @Test("An app that was suspended meanwhile hears once that it is gone; one that is launched then, nothing")
        func late() async throws {
            let (daemon, application, keeper) = try await start()
            defer { application.connection?.stop() }
            try await tell(daemon, "unavailable")
            #expect(!application.isProtectedDataAvailable && keeper.heard.isEmpty)
            try await tell(daemon, "available")
            try await tell(daemon, "unavailable")
            try await tell(daemon, "unavailable")
            #expect(keeper.heard == ["did, available", "did, posted", "will, gone", "will, posted"])
        }

        @Test("Under a daemon that knows of none of it, protected data is always there")
        func older() async throws {
            let (daemon, application, keeper) = try await start()
            defer { application.connection?.stop() }
            try await tell(daemon, nil)
            try await tell(daemon, nil)
            #expect(application.isProtectedDataAvailable && keeper.heard.isEmpty)
        }

        @Test("A picture of the screen is told by the notification, and those before the launch never were")
        func screenshot() async throws {
            let (daemon, application, keeper) = try await start()
            defer { application.connection?.stop() }
            try await tell(daemon, "available", screenshots: 3)
            #expect(keeper.heard.isEmpty)
            try await tell(daemon, "available", screenshots: 4)
            try await tell(daemon, "available", screenshots: 4)
            #expect(keeper.heard == ["screenshot"])
        }

        @Test("isIdleTimerDisabled is a request of each change, and of nothing else")
        func idleTimer() async throws {
            let (daemon, application, _) = try await start()
            defer { application.connection?.stop() }
            for isDisabled in [false, true, true, false] { application.isIdleTimerDisabled = isDisabled }
            for keeps in [true, false] {
                guard case .request(_, "keepScreenOn", let params) = try await daemon.next() else {
                    Issue.record("another request than keepScreenOn")
                    return
                }
                #expect(params == ["keeps": .bool(keeps)])
            }
        }

        @Test("The system's version is one of iOS, that of Info.plist where it is one; old code reads it as a number")
        func version() {
            #expect(UIDevice.current.systemName == "iOS")
            #expect(UIDevice.current.systemVersion == "18.0" && Double(UIDevice.current.systemVersion) == 18)
            #expect(UIDevice.current.systemVersion.compare("13.0", options: .numeric) == .orderedDescending)
            #expect(UIDevice.systemVersion(["DTPlatformVersion": "17.2.1"]) == "17.2.1")
            for wrong in ["", "17.", "seventeen", "17.x"] {
                #expect(UIDevice.systemVersion(["DTPlatformVersion": wrong]) == "18.0")
            }
        }
    }
}
