import AppRuntime
import Foundation
import NotificationsWire
import Testing
import UserNotifications
import Wire

@Suite("What an app asks of the notification center", .timeLimit(.minutes(1)))
struct CenterTests {
    private let service = ScriptedService()
    private let client: NotificationClient
    private let center: UNUserNotificationCenter

    init() {
        client = service.client()
        center = UNUserNotificationCenter(client)
    }

    private func request(_ identifier: String = "a", _ trigger: UNNotificationTrigger? = nil) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = "Dinner"
        content.sound = .default
        content.userInfo = ["table": 7]
        return UNNotificationRequest(identifier: identifier, content: content, trigger: trigger)
    }

    private func shown(_ identifier: String, _ date: Double) -> NotificationInfo {
        NotificationInfo(
            date: date,
            request: NotificationRequestInfo(identifier: identifier, content: NotificationContentInfo(body: "b")))
    }

    @Test("Nothing is connected until the app asks for something")
    func lazy() async {
        #expect(service.methods.isEmpty)
        #expect(center.delegate == nil)
        #expect(!center.supportsContentExtensions)
        #expect(service.methods.isEmpty)
        center.removeAllPendingNotificationRequests()
        _ = await service.call(.removePending)
        #expect(service.methods.first == "hello")
    }

    @Test("Authorization is asked for, in both forms, and what the user says is no error")
    func authorization() async throws {
        #expect(try await center.requestAuthorization(options: [.alert, .badge, .provisional]))
        #expect(await service.call(.authorize) == ["options": ["badge", "alert", "provisional"]])
        service.answer(.authorize, .success(["granted": false]))
        let (granted, error) = await withCheckedContinuation { continuation in
            center.requestAuthorization(options: .sound) { continuation.resume(returning: ($0, $1)) }
        }
        #expect(!granted && error == nil)
        service.answer(.authorize, .failure(.notification(.notificationsNotAllowed, "no")))
        await #expect {
            _ = try await center.requestAuthorization()
        } throws: {
            ($0 as? UNError)?.code == .notificationsNotAllowed && $0.localizedDescription == "no"
        }
    }

    @Test("Settings are what the service says, in both forms")
    func settings() async {
        let settings = await center.notificationSettings()
        #expect(settings.authorizationStatus == .authorized && settings.alertStyle == .banner)
        #expect(settings.alertSetting == .enabled && settings.badgeSetting == .disabled)
        #expect(settings.soundSetting == .enabled && settings.criticalAlertSetting == .notSupported)
        let same = await withCheckedContinuation { continuation in
            center.getNotificationSettings { continuation.resume(returning: $0) }
        }
        #expect(same == settings)
    }

    @Test("A request is added, in both forms, and an error of the service has Apple's number")
    func add() async throws {
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 90, repeats: true)
        try await center.add(request("a", trigger))
        let sent = try NotificationRequestParameters(json: await service.call(.add)).request
        #expect(sent.identifier == "a" && sent.content.title == "Dinner" && sent.content.sound == "default")
        #expect(sent.content.userInfo == "{\"table\":7}")
        #expect(sent.trigger == .interval(seconds: 90, repeats: true))

        service.answer(
            .add, .failure(.notification(.notificationsNotAllowed, "denied")), .failure(RPCError(.tooMuch, "64 wait")))
        let first = await withCheckedContinuation { continuation in
            center.add(request()) { continuation.resume(returning: $0) }
        }
        #expect((first as? UNError)?.code == .notificationsNotAllowed)
        let second = await withCheckedContinuation { continuation in
            center.add(request()) { continuation.resume(returning: $0) }
        }
        #expect(second?.localizedDescription == "64 wait")
        // Without a handler as well.
        addWithoutHandler(request("last"))
        #expect(await service.call(.add, 4)["request"]?["identifier"] == "last")
    }

    private func addWithoutHandler(_ request: UNNotificationRequest) { center.add(request) }

    @Test("What can never be shown is refused without asking the service")
    func impossible() async {
        let empty = UNNotificationRequest(identifier: "a", content: UNNotificationContent(), trigger: nil)
        await #expect { try await center.add(empty) } throws: { UNError.notificationInvalidNoContent ~= $0 }
        let past = UNCalendarNotificationTrigger(
            dateMatching: DateComponents(year: 2001, month: 1, day: 1), repeats: false)
        await #expect { try await center.add(request("b", past)) } throws: { UNError.notificationInvalidNoDate ~= $0 }
        let content = UNMutableNotificationContent()
        content.body = "b"
        content.userInfo = ["what": center]
        let foreign = UNNotificationRequest(identifier: "c", content: content, trigger: nil)
        await #expect { try await center.add(foreign) } throws: { UNError.notificationInvalidNoContent ~= $0 }
        await #expect { try await center.setBadgeCount(-1) } throws: { UNError.badgeInputInvalid ~= $0 }
        #expect(service.methods.isEmpty)
        // Of this very second, which has begun: the service shows it at once.
        let now = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date())
        let trigger = UNCalendarNotificationTrigger(dateMatching: now, repeats: false)
        #expect(trigger.nextTriggerDate() == nil)
        addWithoutHandler(request("now", trigger))
        #expect(await service.call(.add)["request"]?["identifier"] == "now")
    }

    @Test("Pending requests come page by page, as they were asked for")
    func pending() async throws {
        let (first, second) = (
            request("a"), request("b", UNTimeIntervalNotificationTrigger(timeInterval: 5, repeats: false))
        )
        try await center.add(first)
        try await center.add(second)
        let infos = [
            try NotificationRequestParameters(json: await service.call(.add, 1)).request,
            try NotificationRequestParameters(json: await service.call(.add, 2)).request,
        ]
        for _ in 0..<2 {
            service.answer(
                .pending, .success(NotificationPendingPage(requests: [infos[0]], more: true).json),
                .success(NotificationPendingPage(requests: [infos[1]]).json))
        }
        #expect(await center.pendingNotificationRequests() == [first, second])
        #expect(await service.call(.pending, 1)["after"] == nil)
        #expect(await service.call(.pending, 2)["after"] == "a")
        let same = await withCheckedContinuation { continuation in
            center.getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
        #expect(same == [first, second])
    }

    @Test("What was shown comes page by page, with its date")
    func delivered() async {
        for _ in 0..<2 {
            service.answer(
                .delivered,
                .success(NotificationDeliveredPage(notifications: [shown("b", 20)], more: true).json),
                .success(NotificationDeliveredPage(notifications: [shown("a", 10)]).json))
        }
        let notifications = await center.deliveredNotifications()
        #expect(notifications.map(\.request.identifier) == ["b", "a"])
        #expect(notifications.map(\.date.timeIntervalSince1970) == [20, 10])
        #expect(await service.call(.delivered, 2)["after"] == "b")
        let same = await withCheckedContinuation { continuation in
            center.getDeliveredNotifications { continuation.resume(returning: $0) }
        }
        #expect(same == notifications)
    }

    @Test("Requests and what was shown are removed by name, or all of them")
    func removal() async {
        center.removePendingNotificationRequests(withIdentifiers: ["a", "b"])
        center.removeAllPendingNotificationRequests()
        center.removeDeliveredNotifications(withIdentifiers: ["c"])
        center.removeAllDeliveredNotifications()
        #expect(await service.call(.removePending, 1) == ["identifiers": ["a", "b"]])
        #expect(await service.call(.removePending, 2) == [:])
        #expect(await service.call(.removeDelivered, 1) == ["identifiers": ["c"]])
        #expect(await service.call(.removeDelivered, 2) == [:])
    }

    @Test("Categories are replaced, and come back as they were, in both forms")
    func categories() async throws {
        let actions = [
            UNNotificationAction(
                identifier: "yes", title: "Yes", options: [.foreground, .destructive],
                icon: UNNotificationActionIcon(systemImageName: "check")),
            UNTextInputNotificationAction(
                identifier: "say", title: "Answer", textInputButtonTitle: "Send", textInputPlaceholder: "Text"),
        ]
        let categories: Set<UNNotificationCategory> = [
            UNNotificationCategory(
                identifier: "invite", actions: actions, intentIdentifiers: ["i"],
                hiddenPreviewsBodyPlaceholder: "p", categorySummaryFormat: "s",
                options: [.customDismissAction, .hiddenPreviewsShowTitle]),
            UNNotificationCategory(identifier: "empty", actions: [], intentIdentifiers: []),
        ]
        center.setNotificationCategories(categories)
        let sent = await service.call(.setCategories)
        service.answer(.categories, .success(sent), .success(sent))
        let found = await center.notificationCategories()
        #expect(found == categories)
        let same = await withCheckedContinuation { continuation in
            center.getNotificationCategories { continuation.resume(returning: $0) }
        }
        #expect(same == categories)
        let invite = try #require(found.first { $0.identifier == "invite" })
        #expect(invite.options == [.customDismissAction, .hiddenPreviewsShowTitle])
        #expect(invite.actions[0].options == [.foreground, .destructive])
        #expect(invite.actions[0].icon == UNNotificationActionIcon(systemImageName: "check"))
        #expect((invite.actions[1] as? UNTextInputNotificationAction)?.textInputButtonTitle == "Send")
        #expect((invite.actions[1] as? UNTextInputNotificationAction)?.textInputPlaceholder == "Text")
    }

    @Test("The badge is set, in both forms; what the service says of it is known")
    func badge() async throws {
        #expect(client.badge == 3)
        try await center.setBadgeCount(5)
        #expect(await service.call(.setBadge) == ["count": 5])
        #expect(client.badge == 5)
        let error = await withCheckedContinuation { continuation in
            center.setBadgeCount(0) { continuation.resume(returning: $0) }
        }
        #expect(error == nil && client.badge == 0)
        service.send(.notification(method: "badge", params: NotificationBadge(count: 9).json))
        // Behind the notification.
        _ = await center.notificationSettings()
        #expect(client.badge == 9)
    }

    @Test("A registration gives the token's bytes, and is known from then on, until it is taken back")
    func registration() async throws {
        #expect(client.isRegistered, "the service said so in its greeting")
        client.unregister()
        _ = await service.call(.unregister)
        #expect(!client.isRegistered)
        let token = try await withCheckedThrowingContinuation { continuation in
            client.register { continuation.resume(with: $0) }
        }
        #expect(token == Data([0x0A, 0x1B]) && client.isRegistered)
        service.answer(.register, .failure(RPCError(.refused, "there is no gateway")))
        await #expect {
            _ = try await withCheckedThrowingContinuation { continuation in
                client.register { continuation.resume(with: $0) }
            }
        } throws: {
            $0.localizedDescription == "there is no gateway"
        }
    }

    @Test(
        "Where there is no such service everything is answered: with an error, with nothing, with what is not supported"
    )
    func missing() async {
        let service = ScriptedService(refusal: RPCError(.unknown, "there is no service notifications"))
        let client = service.client()
        let center = UNUserNotificationCenter(client)
        await #expect {
            try await center.add(request())
        } throws: {
            ($0 as NSError).domain == NSCocoaErrorDomain && $0.localizedDescription.contains("no service")
        }
        await #expect(throws: (any Error).self) { _ = try await center.requestAuthorization() }
        let settings = await center.notificationSettings()
        #expect(settings.authorizationStatus == .notDetermined && settings.alertSetting == .notSupported)
        #expect(await center.pendingNotificationRequests().isEmpty)
        #expect(await center.deliveredNotifications().isEmpty)
        #expect(await center.notificationCategories().isEmpty)
        #expect(client.badge == 0 && !client.isRegistered)
    }

    @Test("A handler may wait for another answer")
    func nested() async {
        let settings = await withCheckedContinuation { continuation in
            center.getNotificationSettings { _ in
                let arrival = DispatchSemaphore(value: 0)
                self.center.getNotificationSettings { _ in arrival.signal() }
                let result = arrival.wait(timeout: .now() + 20)
                continuation.resume(returning: result)
            }
        }
        #expect(settings == .success)
    }
}
