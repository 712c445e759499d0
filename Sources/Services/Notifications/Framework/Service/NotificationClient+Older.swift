internal import AppRuntime
internal import Dispatch
internal import NotificationsWire
internal import Synchronization
internal import Wire

// What Apple's older API has: without handlers, so that some of it waits for the service.
extension NotificationClient {
    /// How long that waits, in seconds, as other things that Apple's API has without a handler.
    static let patience = 2.0

    /// Asks for a notification that may say nothing.
    package func schedule(_ request: UNNotificationRequest) {
        do {
            tell(.add, NotificationRequestParameters(request: try request.record()).json) { error in
                if let error { Self.complain("a local notification was refused: \(error.localizedDescription)") }
            }
        } catch {
            Self.complain("a local notification cannot be scheduled: \(error.localizedDescription)")
        }
    }

    /// Takes requests back, and withdraws what is shown of them.
    package func remove(_ identifiers: [String]) {
        let params = NotificationRemoval(identifiers: identifiers).json
        tell(.removePending, params)
        tell(.removeDelivered, params)
    }

    package func removePending() { tell(.removePending, NotificationRemoval(identifiers: nil).json) }

    /// Takes all requests back, and withdraws what is shown but did not come as a push.
    package func removeAllLocal() {
        removePending()
        list(.delivered, NotificationDeliveredPage.self) { shown in
            let local = shown.map(\.request).filter { $0.trigger != .push }
            guard !local.isEmpty else { return }
            self.tell(.removeDelivered, NotificationRemoval(identifiers: local.map(\.identifier)).json)
        }
    }

    /// The requests that wait.
    package func pendingNow() -> [UNNotificationRequest] {
        let infos = waiting { answer in list(.pending, NotificationPendingPage.self) { answer($0) } }
        return (infos ?? []).map { UNNotificationRequest($0) }
    }

    /// What the app may do, and its categories; `nil` if the service does not say.
    package func settingsNow() -> (UNNotificationSettings, [UNNotificationCategory])? {
        let settings = waiting { answer in
            request(.settings, [:], as: NotificationSettingsInfo.self) { answer(try? $0.get()) }
        }
        guard case let info?? = settings else { return nil }
        let categories = waiting { answer in
            request(.categories, [:], as: NotificationCategories.self) { answer(try? $0.get()) }
        }
        return (UNNotificationSettings(info), (categories ?? nil)?.categories.map(UNNotificationCategory.init) ?? [])
    }

    /// The answer, unless it takes too long.
    func waiting<Answer: Sendable>(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) -> Answer? {
        let arrival = Arrival<Answer>()
        link.whileWaiting {
            ask { answer in
                arrival.answer.withLock { $0 = answer }
                arrival.semaphore.signal()
            }
        }
        _ = arrival.semaphore.wait(timeout: .now() + Self.patience)
        return arrival.answer.withLock { $0 }
    }

    private final class Arrival<Answer: Sendable>: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = Mutex<Answer?>(nil)
    }
}
