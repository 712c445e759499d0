import Foundation
import GreenroomTesting
import Testing
import UIKit
import UserNotifications

/// What is deprecated, and used all the same.
@MainActor
private protocol OlderBadge: AnyObject {
    var iconBadge: Int { get set }
}

extension UIApplication: OlderBadge {
    @available(*, deprecated) fileprivate var iconBadge: Int {
        get { applicationIconBadgeNumber }
        set { applicationIconBadgeNumber = newValue }
    }
}

extension TestingTests {
    /// An app with notifications, written as for an iPhone: it writes down what it is told.
    final class Reminder: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
        var trace: [String] = []
        var token: Data?
        var options: [UIApplication.LaunchOptionsKey: Any] = [:]
        var presents: UNNotificationPresentationOptions = [.banner, .list, .sound]
        var onPush: (@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void = { $0(.newData) }
        var payloads: [[AnyHashable: Any]] = []
        /// Handlers that it keeps, and never calls.
        var kept: [@Sendable (UIBackgroundFetchResult) -> Void] = []

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            options = launchOptions ?? [:]
            let center = UNUserNotificationCenter.current()
            center.delegate = self
            center.setNotificationCategories([
                UNNotificationCategory(
                    identifier: "message",
                    actions: [
                        UNTextInputNotificationAction(
                            identifier: "reply", title: "Reply", options: [], textInputButtonTitle: "Send",
                            textInputPlaceholder: ""),
                        UNNotificationAction(identifier: "show", title: "Show", options: [.foreground]),
                    ], intentIdentifiers: [], options: [.customDismissAction])
            ])
            Task {
                let isAllowed = try await center.requestAuthorization(options: [.alert, .badge, .sound])
                trace.append(isAllowed ? "allowed" : "not allowed")
            }
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) { token = deviceToken }

        func application(
            _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) {
            trace.append("push \(application.applicationState.rawValue)")
            payloads.append(userInfo)
            onPush(completionHandler)
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification
        ) async -> UNNotificationPresentationOptions {
            trace.append("will present \(notification.request.identifier)")
            return presents
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
        ) async {
            let text = (response as? UNTextInputNotificationResponse).map { " “\($0.userText)”" } ?? ""
            let action =
                switch response.actionIdentifier {
                case UNNotificationDefaultActionIdentifier: "opened"
                case UNNotificationDismissActionIdentifier: "dismissed"
                default: response.actionIdentifier
                }
            trace.append("\(action) \(response.notification.request.identifier)\(text)")
        }

        func takeTrace() -> [String] {
            defer { trace = [] }
            return trace
        }
    }

    @Suite("Notifications of an app's own code")
    @MainActor
    struct NotificationTests {
        private func install(
            _ device: TestDevice, configure: @escaping (Reminder) -> Void = { _ in }
        ) throws -> TestedApp<Reminder> {
            try device.install(
                Reminder.self, identifier: "org.example.Reminder", backgroundModes: ["remote-notification"],
                configure: configure)
        }

        private func request(
            _ identifier: String, _ body: String, after seconds: TimeInterval? = nil, category: String = ""
        ) -> UNNotificationRequest {
            let content = UNMutableNotificationContent()
            content.title = "Reminder"
            content.body = body
            content.sound = .default
            content.categoryIdentifier = category
            let trigger = seconds.map { UNTimeIntervalNotificationTrigger(timeInterval: $0, repeats: false) }
            return UNNotificationRequest(identifier: identifier, content: content, trigger: trigger)
        }

        @Test("A date in the Hebrew calendar, in a zone that is made from seconds, is shown on its day")
        func otherCalendar() async throws {
            let device = try TestDevice(virtualizesTime: true)
            let app = try install(device)
            try await device.open(app)
            let calendar = Calendar(identifier: .hebrew)
            let zone = try #require(TimeZone(secondsFromGMT: 2 * 3600))
            let content = UNMutableNotificationContent()
            content.body = "A happy new month"
            try await app.perform { _ in
                var units = calendar.dateComponents(in: zone, from: Date(timeIntervalSinceNow: 40 * 86_400))
                units = DateComponents(calendar: calendar, timeZone: zone, month: units.month, day: units.day, hour: 9)
                UNUserNotificationCenter.current().add(
                    UNNotificationRequest(
                        identifier: "month", content: content,
                        trigger: UNCalendarNotificationTrigger(dateMatching: units, repeats: true))
                ) { error in assert(error == nil) }
            }
            try await device.home()
            try await device.advance(by: .seconds(38 * 86_400))
            #expect(device.notifications(of: app).isEmpty)
            try await device.advance(by: .seconds(3 * 86_400))
            #expect(device.notifications(of: app).map(\.body) == ["A happy new month"])
        }

        @Test("A notification that the app asked for is shown at its time, and tapping it opens the app that was ended")
        func local() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            #expect(app.delegate?.takeTrace() == ["allowed"])
            let center = UNUserNotificationCenter.current()
            try await app.perform { _ in
                center.add(request("walk", "Go for a walk", after: 3600)) { error in assert(error == nil) }
            }
            try await app.perform { delegate in
                Task { delegate.trace += await center.pendingNotificationRequests().map(\.identifier) }
            }
            #expect(app.delegate?.takeTrace() == ["walk"])
            try await device.home()
            try await device.advance(by: .seconds(3500))
            #expect(device.notifications(of: app).isEmpty && app.state == .suspended)
            try await device.advance(by: .seconds(101))
            let shown = try #require(device.notifications(of: app).first)
            #expect(shown.identifier == "walk" && shown.body == "Go for a walk" && shown.sound == "default")
            #expect(app.state == .suspended)
            try await app.crash()
            try await device.tapNotification(of: app)
            #expect(app.state == .active && app.launches == 2)
            #expect(app.delegate?.takeTrace() == ["opened walk", "allowed"])
            await #expect(throws: TestDeviceError.self) { try await device.tapNotification(of: app) }
        }

        @Test("On the screen the delegate decides; answers come to the background, with what was written")
        func answers() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            app.delegate?.presents = []
            try await device.deliver(request("a", "Not shown"), of: app)
            #expect(app.delegate?.takeTrace() == ["allowed", "will present a"])
            #expect(device.shownNotifications(of: app).isEmpty)
            app.delegate?.presents = [.banner]
            try await device.deliver(request("b", "A banner"), of: app)
            #expect(device.shownNotifications(of: app).map(\.identifier) == ["b"])
            try await device.home()
            try await device.deliver(request("c", "Are you there?", category: "message"), of: app)
            _ = app.delegate?.takeTrace()
            try await device.answerNotification(of: app, with: "reply", text: "On my way")
            #expect(app.delegate?.takeTrace() == ["reply c “On my way”"])
            #expect(app.state == .suspended)
            try await device.deliver(request("d", "Still there?", category: "message"), of: app)
            try await device.dismissNotification("d", of: app)
            #expect(app.delegate?.takeTrace() == ["dismissed d"])
            #expect(app.state == .suspended)
            try await device.deliver(request("e", "Look", category: "message"), of: app)
            try await device.answerNotification(of: app, with: "show")
            #expect(app.state == .active)
            #expect(app.delegate?.takeTrace() == ["show e"])
        }

        @Test("What waits for the service on the main thread has its answer without time passing")
        func atOnce() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await app.perform { _ in
                let older: any OlderBadge = UIApplication.shared
                older.iconBadge = 3
            }
            #expect(device.badge(of: app) == 3)
            try await app.crash()
            try await device.open(app)
            let (badge, isRegistered) = try await app.perform { _ in
                let older: any OlderBadge = UIApplication.shared
                return (older.iconBadge, UIApplication.shared.isRegisteredForRemoteNotifications)
            }
            #expect(badge == 3 && !isRegistered)
            #expect(device.realTimeWaits.isEmpty)
        }

        @Test("A silent push wakes the app with its whole payload, launches it, and waits where there were too many")
        func silent() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await device.home()
            _ = app.delegate?.takeTrace()
            try await device.push(["aps": ["content-available": 1], "episode": ["number": 7]], to: app)
            #expect(app.delegate?.takeTrace() == ["push \(UIApplication.State.background.rawValue)"])
            let payload = try #require(app.delegate?.payloads.last)
            #expect((payload["episode"] as? [AnyHashable: Any])?["number"] as? Int == 7)
            #expect(app.state == .suspended)
            try await app.crash()
            try await device.push(["aps": ["content-available": 1], "n": 2], to: app)
            #expect(app.launches == 2 && app.state == .suspended)
            let options = try #require(app.delegate?.options[.remoteNotification] as? [AnyHashable: Any])
            #expect(options["n"] as? Int == 2)
            #expect(app.delegate?.payloads.count == 1)
            try await device.push(["aps": ["content-available": 1]], to: app)
            try await device.push(["aps": ["content-available": 1], "n": 4], to: app)
            #expect(app.delegate?.payloads.count == 2)
            #expect(device.pushStatus(of: app).contains("one has waited since"))
            try await device.open(app)
            #expect(app.delegate?.payloads.last?["n"] as? Int == 4)
        }

        @Test("An app that does not complete a push in 30 seconds is ended with a report")
        func tooLong() async throws {
            let device = try TestDevice()
            let app = try install(device) { reminder in
                reminder.onPush = { [unowned reminder] in reminder.kept.append($0) }
            }
            try await device.open(app)
            try await device.home()
            try await device.push(["aps": ["content-available": 1]], to: app)
            try await device.advance(by: .seconds(29))
            #expect(app.state == .background)
            try await device.advance(by: .seconds(2))
            #expect(app.state == .notRunning && app.reports.count == 1)
            try await device.advance(by: .seconds(300))
            #expect(app.launches == 1, "it had it")
        }

        @Test("A provider's push comes through the gateway and the network; what the gateway refuses is an error")
        func provider() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.setNetwork(.wifi)
            try await device.open(app)
            try await device.advance(by: .seconds(5))
            #expect(app.delegate?.token?.count == 32)
            try await device.home()
            try await device.push(#"{"aps":{"alert":"Goal","badge":2}}"#, to: app, from: .provider, collapse: "score")
            try await device.advance(by: .seconds(2))
            #expect(device.notifications(of: app).map(\.body) == ["Goal"])
            #expect(device.badge(of: app) == 2)
            try await device.push(#"{"aps":{"alert":"2:0"}}"#, to: app, from: .provider, collapse: "score")
            try await device.advance(by: .seconds(2))
            #expect(device.notifications(of: app).map(\.body) == ["2:0"])
            await #expect(throws: TestDeviceError.refused("the gateway answers 400 PayloadEmpty")) {
                try await device.push(#"{"aps":7}"#, to: app, from: .provider)
            }
            try await device.tapNotification(of: app)
            #expect(app.state == .active)
            #expect(app.delegate?.takeTrace().last == "opened score")
        }

        @Test("A push in a file names its app, as for simctl")
        func file() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await device.home()
            let file = app.container.appending(path: "new-episode.apns")
            let text = """
                {
                    "Simulator Target Bundle": "org.example.Reminder",
                    "aps": {"alert": {"title": "News", "body": "Two lines"}}
                }
                """
            try text.write(to: file, atomically: true, encoding: .utf8)
            try await device.push(contentsOf: file)
            #expect(device.notifications(of: app).map(\.title) == ["News"])
            try #"{"aps": {}}"#.write(to: file, atomically: true, encoding: .utf8)
            let error = await #expect(throws: TestDeviceError.self) { try await device.push(contentsOf: file) }
            #expect(error?.description.contains("Simulator Target Bundle") == true)
        }

        @Test("The user denies notifications: nothing is shown any more, and the app learns of it")
        func denied() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await device.allowNotifications(of: app, false)
            try await device.home()
            try await device.deliver(request("a", "Hello"), of: app)
            #expect(device.shownNotifications(of: app).isEmpty)
            try await device.open(app)
            try await app.perform { delegate in
                Task {
                    let settings = await UNUserNotificationCenter.current().notificationSettings()
                    delegate.trace.append(settings.authorizationStatus == .denied ? "denied" : "not denied")
                }
            }
            #expect(app.delegate?.trace.last == "denied")
        }
    }
}
