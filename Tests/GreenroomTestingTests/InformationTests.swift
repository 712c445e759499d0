import BackgroundTasks
import CoreLocation
import Foundation
import GreenroomTesting
import Testing
import UIKit
import UserNotifications

final class RegistrarScene: UIResponder, UIWindowSceneDelegate {
    static var connections = 0
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) { Self.connections += 1 }
}

extension TestingTests {
    /// An app that registers two tasks, and remembers what came of it.
    final class Registrar: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
        var registered: [String: Bool] = [:]
        var onBackground: (Registrar) -> Void = { _ in }
        var found: [CLLocation] = []
        var failures: [any Error] = []
        lazy var manager = CLLocationManager()

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            for name in ["a.sync", "a.index"] {
                registered[name] = BGTaskScheduler.shared.register(forTaskWithIdentifier: name, using: nil) { task in
                    task.setTaskCompleted(success: true)
                }
            }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) { onBackground(self) }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            found += locations
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { failures.append(error) }
    }

    @Suite("The Info.plist of an app that is tested", .serialized)
    @MainActor
    struct InformationTests {
        /// A file with these keys, as XML or binary.
        private func file(_ keys: [String: Any], _ format: PropertyListSerialization.PropertyListFormat = .xml) throws
            -> URL
        {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("Info.plist")
            try PropertyListSerialization.data(fromPropertyList: keys, format: format, options: 0).write(to: file)
            return file
        }

        private static let keys: [String: Any] = [
            "CFBundleIdentifier": "org.example.registrar", "CFBundleDisplayName": "Registrar",
            "UIBackgroundModes": ["fetch", "processing"], "BGTaskSchedulerPermittedIdentifiers": "a.sync",
            "CFBundleURLTypes": [["CFBundleURLSchemes": ["registrar"]]], "DTPlatformVersion": "17.4",
        ]

        @Test("A task that it does not name is not registered, and the others are", arguments: [true, false])
        func tasks(isFile: Bool) async throws {
            let device = try TestDevice()
            let file = try file(Self.keys, .binary)
            defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
            let app =
                isFile
                ? try device.install(Registrar.self, infoPlist: file)
                : try device.install(
                    Registrar.self, identifier: "org.example.registrar", backgroundModes: ["fetch", "processing"],
                    backgroundTasks: ["a.sync"])
            try await device.open(app)
            #expect(app.delegate?.registered == ["a.sync": true, "a.index": false])
            #expect(app.name == (isFile ? "Registrar" : "registrar"))
            if isFile { #expect(UIDevice.current.systemVersion == "17.4") }
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "a.sync"))
            await #expect(throws: TestDeviceError.self) { try await device.fetch(app) }
        }

        @Test("Its scenes are made, with a class of the app's module")
        func scenes() async throws {
            let device = try TestDevice()
            var keys = Self.keys
            keys["UIApplicationSceneManifest"] = [
                "UIApplicationSupportsMultipleScenes": false,
                "UISceneConfigurations": [
                    "UIWindowSceneSessionRoleApplication": [
                        [
                            "UISceneConfigurationName": "Default",
                            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).RegistrarScene",
                        ]
                    ]
                ],
            ]
            let file = try file(keys)
            defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
            RegistrarScene.connections = 0
            let app = try device.install(Registrar.self, infoPlist: file)
            try await device.open(app)
            #expect(RegistrarScene.connections == 1)
        }

        @Test("A build setting for its identifier is replaced by the test's, and what is no list is an error")
        func settings() throws {
            var keys = Self.keys
            keys["CFBundleIdentifier"] = "$(PRODUCT_BUNDLE_IDENTIFIER)"
            keys["CFBundleDisplayName"] = "$(PRODUCT_NAME)"
            let file = try file(keys)
            let folder = file.deletingLastPathComponent()
            defer { try? FileManager.default.removeItem(at: folder) }
            let device = try TestDevice()
            #expect(throws: TestDeviceError.self) { try device.install(Registrar.self, infoPlist: file) }
            let missing = folder.appendingPathComponent("Other.plist")
            #expect(throws: TestDeviceError.self) { try device.install(Registrar.self, infoPlist: missing) }
            try Data("rubbish".utf8).write(to: missing)
            #expect(throws: TestDeviceError.self) { try device.install(Registrar.self, infoPlist: missing) }
            let app = try device.install(Registrar.self, infoPlist: file, identifier: "org.example.other")
            #expect(app.name == "other")
        }

        @Test("A test that asks a service itself hears the answer, though no time passes")
        func direct() async throws {
            let device = try TestDevice()
            let app = try device.install(Registrar.self, identifier: "org.example.registrar")
            try await device.open(app)
            let center = UNUserNotificationCenter.current()
            #expect(await center.pendingNotificationRequests().isEmpty)
            let content = UNMutableNotificationContent()
            content.body = "later"
            try await app.perform { _ in
                center.requestAuthorization(options: [.alert]) { _, _ in }
                center.add(
                    UNNotificationRequest(
                        identifier: "one", content: content,
                        trigger: UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: false)))
            }
            #expect(await center.pendingNotificationRequests().map(\.identifier) == ["one"])
            try await center.add(
                UNNotificationRequest(
                    identifier: "two", content: content,
                    trigger: UNTimeIntervalNotificationTrigger(timeInterval: 90, repeats: false)))
            #expect(await center.pendingNotificationRequests().map(\.identifier).sorted() == ["one", "two"])
            #expect(await center.notificationSettings().authorizationStatus == .authorized)
            try await device.home()
            try await device.advance(by: .seconds(100))
            #expect(device.notifications(of: app).map(\.identifier).sorted() == ["one", "two"])
        }

        @Test("What is submitted when the app hears of its pending tasks, on its way out, is not lost")
        func submittedLate() async throws {
            let device = try TestDevice()
            let app = try device.install(
                Registrar.self, identifier: "org.example.registrar", backgroundModes: ["processing"],
                backgroundTasks: ["a.sync", "a.index"]
            ) { app in
                app.onBackground = { _ in
                    BGTaskScheduler.shared.getPendingTaskRequests { requests in
                        guard requests.isEmpty else { return }
                        let request = BGProcessingTaskRequest(identifier: "a.index")
                        request.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
                        try? BGTaskScheduler.shared.submit(request)
                    }
                }
            }
            try await device.open(app)
            try await device.home()
            #expect(app.state == .suspended)
            #expect(await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier) == ["a.index"])
        }

        @Test("One location is found for the app that asks for one, where the device is")
        func location() async throws {
            let device = try TestDevice()
            let app = try device.install(Registrar.self, identifier: "org.example.registrar")
            try await device.open(app)
            try await device.location.move(toLatitude: 48.2, longitude: 16.4)
            try await app.perform { app in
                app.manager.delegate = app
                app.manager.requestWhenInUseAuthorization()
            }
            try await app.perform { $0.manager.requestLocation() }
            try await device.advance(by: .seconds(60))
            #expect(app.delegate?.failures.map { "\($0)" } == [])
            let found = try #require(app.delegate?.found.first)
            #expect(app.delegate?.found.count == 1)
            #expect(abs(found.coordinate.latitude - 48.2) < 0.01 && abs(found.coordinate.longitude - 16.4) < 0.01)
        }
    }
}
