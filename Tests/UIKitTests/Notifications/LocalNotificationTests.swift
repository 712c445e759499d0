import AppRuntime
import Foundation
import NotificationsWire
import Testing
import UIKit
import UserNotifications
import Wire

/// As apps had it until 2016.
@available(*, deprecated)
private final class LocalDelegate: UIResponder, UIApplicationDelegate {
    var heard: [UILocalNotification] = []
    var actions: [String] = []
    var settings: [UIUserNotificationSettings] = []
    var launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    var continuation: CheckedContinuation<Void, Never>?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        self.launchOptions = launchOptions
        return true
    }

    func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
        heard.append(notification)
    }

    func application(_ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings) {
        settings.append(notificationSettings)
        continuation?.resume()
    }

    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
        completionHandler: @escaping () -> Void
    ) {
        let text = responseInfo[UIUserNotificationActionResponseTypedTextKey] as? String
        actions.append("\(identifier ?? "none") \(notification.alertBody ?? "none") \(text ?? "none")")
        completionHandler()
    }

    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
    ) {
        actions.append("\(identifier ?? "none") push \(userInfo["id"] as? Int ?? 0)")
        completionHandler()
    }
}

/// What the tests do with methods that are deprecated: what calls those is deprecated itself, but through a protocol.
@MainActor
private protocol OlderSteps {
    func schedulesAndCancels() throws
    func triggers() throws
    func launches() async throws
    func hears() async throws
    func settings() async throws
    func badge() throws
}

extension UIKitTests {
    @Suite("Local notifications of 2010", .timeLimit(.minutes(1)))
    @MainActor
    struct LocalNotificationTests {
        private let steps: any OlderSteps = Steps()

        @Test(
            "What is scheduled is pending as it was, and is cancelled by the object, by an equal one, or with all others"
        )
        func scheduling() throws { try steps.schedulesAndCancels() }

        @Test("A date is a moment, or what the clock shows, once or after each interval; a past one is now")
        func triggers() throws { try steps.triggers() }

        @Test("A notification that the user opened is among the launch options, and is not told again")
        func launch() async throws { try await steps.launches() }

        @Test("One that comes on the screen, and one that is opened or acted on, is told to the app's delegate")
        func delegate() async throws { try await steps.hears() }

        @Test("Settings are those of the center, and the delegate is told of them")
        func settings() async throws { try await steps.settings() }

        @Test("The number on the icon")
        func badge() throws { try steps.badge() }
    }
}

@MainActor
private struct Steps: OlderSteps {
    private let service = FakeNotifications.install()
    private let link = NotedLink()

    @available(*, deprecated)
    private func start(options: JSONValue = [:]) throws -> (UIApplication, LocalDelegate) {
        let (application, lifecycle) = try ApplicationLauncher.start(
            principal: UIApplication.self, delegate: LocalDelegate.self, link)
        let params: JSONValue = ["state": "inactive", "options": options]
        for name in [CallbackName.willFinishLaunching, .didFinishLaunching] {
            _ = lifecycle.handle(Callback(seq: 1, name: name, params: params))
        }
        return (application, try #require(application.delegate as? LocalDelegate))
    }

    private func end(_ application: UIApplication) {
        application.end()
        FakeNotifications.uninstall()
    }

    /// The service has heard everything up to here.
    @available(*, deprecated)
    private func sync(_ application: UIApplication) { _ = application.scheduledLocalNotifications }

    @available(*, deprecated)
    private func note(_ body: String, after seconds: TimeInterval = 3600) -> UILocalNotification {
        let note = UILocalNotification()
        note.fireDate = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + seconds).rounded())
        note.alertBody = body
        note.alertAction = "Listen"
        note.soundName = UILocalNotificationDefaultSoundName
        note.applicationIconBadgeNumber = 1
        note.userInfo = ["episode": 7]
        note.category = "c"
        return note
    }

    @available(*, deprecated)
    func schedulesAndCancels() throws {
        let (application, _) = try start()
        defer { end(application) }
        let (first, second, third) = (note("first"), note("second"), note("third"))
        for one in [first, second, third] { application.scheduleLocalNotification(one) }
        let scheduled = try #require(application.scheduledLocalNotifications)
        #expect(scheduled == [first, second, third])
        #expect(scheduled[0].userInfo?["episode"] as? Int == 7 && scheduled[0].alertAction == "Listen")
        #expect(scheduled[0].fireDate == first.fireDate && scheduled[0].soundName == first.soundName)
        #expect(service.pending.map(\.content.body) == ["first", "second", "third"])

        application.cancelLocalNotification(second)
        let equal = note("third")
        equal.fireDate = third.fireDate
        application.cancelLocalNotification(equal)
        #expect(application.scheduledLocalNotifications == [first])

        application.presentLocalNotificationNow(note("now"))
        sync(application)
        #expect(service.delivered.map(\.request.content.body) == ["now"])
        service.deliver(
            NotificationInfo(
                date: 1,
                request: NotificationRequestInfo(
                    identifier: "p", content: NotificationContentInfo(body: "push"), trigger: .push)))
        application.scheduledLocalNotifications = [second]
        #expect(application.scheduledLocalNotifications == [second])
        application.cancelAllLocalNotifications()
        // The list of those shown is asked for first.
        for _ in 0..<1000 where service.delivered.count > 1 { sync(application) }
        #expect(service.delivered.map(\.request.content.body) == ["push"] && service.pending.isEmpty)
    }

    @available(*, deprecated)
    func triggers() throws {
        let (application, _) = try start()
        defer { end(application) }
        let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        // In some years, so that it is not past.
        let date = Date(timeIntervalSince1970: 4_102_444_799.25)
        func trigger(_ change: (UILocalNotification) -> Void) -> NotificationTriggerInfo? {
            let one = note("n")
            one.fireDate = date
            change(one)
            application.scheduleLocalNotification(one)
            sync(application)
            return service.pending.last?.trigger
        }
        let moment = NotificationComponents(
            year: 2100, month: 1, day: 1, hour: 0, minute: 0, second: 0, timeZone: "GMT")
        #expect(trigger { _ in } == .calendar(moment, repeats: false), "not before its time")
        #expect(
            trigger { $0.timeZone = zone }
                == .calendar(
                    NotificationComponents(year: 2100, month: 1, day: 1, hour: 9, minute: 0, second: 0),
                    repeats: false))
        let intervals: [(NSCalendar.Unit, NotificationComponents)] = [
            (.minute, NotificationComponents(second: 0)), (.hour, NotificationComponents(minute: 0, second: 0)),
            (.day, NotificationComponents(hour: 9, minute: 0, second: 0)),
            (.weekOfYear, NotificationComponents(hour: 9, minute: 0, second: 0, weekday: 6)),
            (.month, NotificationComponents(day: 1, hour: 9, minute: 0, second: 0)),
            (.year, NotificationComponents(month: 1, day: 1, hour: 9, minute: 0, second: 0)),
        ]
        for (interval, components) in intervals {
            let found = trigger {
                $0.timeZone = zone
                $0.repeatInterval = interval
            }
            #expect(found == .calendar(components, repeats: true), "\(interval)")
        }
        guard case .interval(let seconds, false)? = trigger({ $0.fireDate = Date(timeIntervalSinceNow: 30) }) else {
            Issue.record("what is soon follows the wall clock")
            return
        }
        #expect((20...30).contains(seconds))
        let count = service.pending.count
        _ = trigger { $0.fireDate = Date(timeIntervalSinceNow: -5) }
        _ = trigger { $0.fireDate = nil }
        #expect(service.pending.count == count && service.delivered.count == 2)
    }

    @available(*, deprecated)
    private func shown(_ one: UILocalNotification) throws -> NotificationInfo {
        let application = UIApplication.shared
        application.presentLocalNotificationNow(one)
        sync(application)
        return try #require(service.delivered.last)
    }

    @available(*, deprecated)
    func launches() async throws {
        let (earlier, _) = try start()
        let info = try shown(note("open me"))
        earlier.end()
        let (application, delegate) = try start(options: ["localNotification": .string(info.json.description)])
        defer { end(application) }
        let note = try #require(delegate.launchOptions?[.localNotification] as? UILocalNotification)
        #expect(note.alertBody == "open me" && note.userInfo?["episode"] as? Int == 7)
        let tap = NotificationResponseInfo(notification: info, action: NotificationActionName.open)
        _ = await service.ask(.didReceive, 1, NotificationDidReceive(seq: 1, response: tap).json)
        #expect(delegate.heard.isEmpty)
        _ = await service.ask(.didReceive, 2, NotificationDidReceive(seq: 2, response: tap).json)
        #expect(delegate.heard == [note], "a second one")
    }

    @available(*, deprecated)
    func hears() async throws {
        let (application, delegate) = try start()
        defer { end(application) }
        let one = note("hello")
        let info = try shown(one)
        let answer = await service.ask(.willPresent, 1, NotificationWillPresent(seq: 1, notification: info).json)
        #expect(answer == ["options": []])
        func respond(_ seq: Int64, _ info: NotificationInfo, _ action: String, _ text: String? = nil) async {
            let response = NotificationResponseInfo(notification: info, action: action, text: text)
            let answer = await service.ask(
                .didReceive, seq, NotificationDidReceive(seq: seq, response: response).json)
            #expect(answer == [:])
        }
        await respond(2, info, NotificationActionName.open)
        #expect(delegate.heard.map(\.alertBody) == ["hello", "hello"])
        await respond(3, info, NotificationActionName.dismiss)
        await respond(4, info, "say", "yes")
        var push = info
        push.request.trigger = .push
        push.request.content.userInfo = "{\"id\":3}"
        await respond(5, push, "later")
        #expect(delegate.actions == ["say hello yes", "later push 3"] && delegate.heard.count == 2)
    }

    @available(*, deprecated)
    func settings() async throws {
        let (application, delegate) = try start()
        defer { end(application) }
        let action = UIMutableUserNotificationAction()
        action.identifier = "say"
        action.title = "Answer"
        action.behavior = .textInput
        action.activationMode = .background
        action.isDestructive = true
        let category = UIMutableUserNotificationCategory()
        category.identifier = "c"
        category.setActions([action], for: .default)
        await withCheckedContinuation { continuation in
            delegate.continuation = continuation
            application.registerUserNotificationSettings(
                UIUserNotificationSettings(types: [.alert, .badge], categories: [category]))
        }
        #expect(delegate.settings.map(\.types) == [[.alert, .badge]])
        #expect(service.params(.authorize) == ["options": ["badge", "alert"]])
        let current = try #require(application.currentUserNotificationSettings)
        #expect(current.types == [.alert, .badge])
        let found = try #require(current.categories?.first?.actions(for: .default)?.first)
        #expect(found.identifier == "say" && found.title == "Answer" && found.behavior == .textInput)
        #expect(found.activationMode == .background && found.isDestructive && !found.isAuthenticationRequired)
        service.grant(false)
        await withCheckedContinuation { continuation in
            delegate.continuation = continuation
            application.registerUserNotificationSettings(UIUserNotificationSettings(types: .alert, categories: nil))
        }
        #expect(delegate.settings.last?.types == [])
    }

    @available(*, deprecated)
    func badge() throws {
        let (application, _) = try start()
        defer { end(application) }
        #expect(application.applicationIconBadgeNumber == 2)
        application.applicationIconBadgeNumber = 5
        #expect(application.applicationIconBadgeNumber == 5)
        application.applicationIconBadgeNumber = -1
        #expect(application.applicationIconBadgeNumber == 0)
        sync(application)
        #expect(service.badge == 0)
    }
}
