internal import Model
package import NotificationsCore
package import NotificationsWire
package import Wire

// The Core's words and those of the wire: what goes to apps and tools.

extension NotificationContentInfo {
    package init(_ content: NotificationContent) {
        self.init(
            title: content.title, subtitle: content.subtitle, body: content.body, badge: content.badge.map(Int64.init),
            sound: content.sound, category: content.category, thread: content.thread,
            userInfo: content.userInfo == "{}" ? nil : content.userInfo,
            level: NotificationLevel(rawValue: content.interruption.rawValue) ?? .active, relevance: content.relevance,
            launchImage: content.launchImage, targetContent: content.targetContent,
            attachments: content.attachments.map {
                NotificationAttachmentInfo(identifier: $0.name, path: $0.path, type: "")
            })
    }
}

extension NotificationRequestInfo {
    package init(_ request: NotificationRequest) {
        self.init(
            identifier: request.identifier, content: NotificationContentInfo(request.content),
            trigger: NotificationTriggerInfo.of(request.trigger))
    }
}

extension NotificationTriggerInfo {
    /// `nil` is now.
    package static func of(_ trigger: NotificationTrigger) -> NotificationTriggerInfo? {
        switch trigger {
        case .now: nil
        case .after(let span, let repeats): .interval(seconds: span.seconds, repeats: repeats)
        case .matching(let components, let repeats): .calendar(NotificationComponents(components), repeats: repeats)
        case .region(let region, let repeats):
            .region(NotificationRegion(region, named: region.identifier), repeats: repeats)
        case .push: .push
        }
    }
}

extension NotificationRegion {
    init(_ region: RegionTrigger, named identifier: String) {
        self.init(
            identifier: identifier, latitude: region.latitude, longitude: region.longitude, radius: region.radius,
            onEntry: region.onEntry, onExit: region.onExit)
    }
}

extension NotificationComponents {
    package init(_ components: CalendarComponents) {
        func number(_ value: Int?) -> Int64? { value.map(Int64.init) }
        self.init(
            year: number(components.year), quarter: number(components.quarter), month: number(components.month),
            day: number(components.day), hour: number(components.hour), minute: number(components.minute),
            second: number(components.second), weekday: number(components.weekday),
            weekdayOrdinal: number(components.weekdayOrdinal), weekOfMonth: number(components.weekOfMonth),
            weekOfYear: number(components.weekOfYear), yearForWeekOfYear: number(components.yearForWeekOfYear),
            firstWeekday: components.countsWeeks ? number(components.firstWeekday) : nil,
            minimumDaysInFirstWeek: components.countsWeeks ? number(components.minimumDaysInFirstWeek) : nil,
            timeZone: components.zone?.identifier,
            // The app finds the days itself.
            calendar: components.days.map { NotificationCalendar(identifier: $0.calendar, isLeapMonth: $0.isLeapMonth) }
        )
    }
}

extension CalendarComponents {
    /// Only weeks ask what a week is.
    fileprivate var countsWeeks: Bool { weekOfMonth != nil || weekOfYear != nil }
}

extension NotificationInfo {
    package init(_ notification: ArrivedNotification) {
        self.init(
            date: notification.date.wire, due: notification.isLate ? notification.date.wire : nil,
            request: NotificationRequestInfo(notification.request))
    }
}

extension NotificationResponseInfo {
    package init(_ response: NotificationResponse) {
        var (action, text) = (NotificationActionName.open, String?.none)
        switch response.action {
        case .open: break
        case .dismiss: action = NotificationActionName.dismiss
        case .custom(let identifier, let typed): (action, text) = (identifier, typed)
        }
        self.init(notification: NotificationInfo(response.notification), action: action, text: text)
    }
}

extension NotificationDidReceive {
    /// `nil`: it is about something else.
    package init?(_ telling: Telling) {
        guard case .didReceive(let response) = telling.kind else { return nil }
        self.init(seq: Int64(clamping: telling.id.number), response: NotificationResponseInfo(response))
    }
}

extension NotificationCategoryInfo {
    package init(_ category: NotificationCategory) {
        self.init(
            identifier: category.identifier, actions: category.actions.map { NotificationActionInfo($0) },
            intents: category.intents, options: category.options.words,
            placeholder: category.hiddenPreviewsPlaceholder ?? "")
    }
}

extension NotificationActionInfo {
    package init(_ action: NotificationAction) {
        self.init(
            identifier: action.identifier, title: action.title, options: action.options.words,
            textInput: action.textInput.map { TextInput(button: $0.buttonTitle, placeholder: $0.placeholder) })
    }
}

extension NotificationSettingsInfo {
    package init(_ settings: NotificationSettings) {
        func setting(_ isOn: Bool, _ option: AuthorizationOptions) -> NotificationSetting {
            isOn && settings.options.contains(option) ? .enabled : .disabled
        }
        let (shows, isFull) = (settings.status.shows, settings.status == .authorized)
        self.init(
            authorization: NotificationAuthorization(rawValue: settings.status.rawValue) ?? .notDetermined,
            options: settings.options.words, alert: setting(isFull, .alert), sound: setting(isFull, .sound),
            badge: setting(isFull, .badge), list: shows ? .enabled : .disabled,
            lockScreen: setting(isFull, .alert), criticalAlert: setting(isFull, .criticalAlert),
            timeSensitive: setting(isFull, .timeSensitive),
            alertStyle: isFull && settings.options.contains(.alert) ? .banner : .none)
    }
}

extension Telling {
    /// The request that tells it.
    package var message: (method: NotificationClientMessage, params: JSONValue) {
        let seq = Int64(clamping: id.number)
        return switch kind {
        case .willPresent(let notification):
            (.willPresent, NotificationWillPresent(seq: seq, notification: NotificationInfo(notification)).json)
        case .didReceive(let response):
            (.didReceive, NotificationDidReceive(seq: seq, response: NotificationResponseInfo(response)).json)
        case .push(let push):
            (.push, NotificationPush(seq: seq, payload: push.payload, silent: push.isSilent).json)
        }
    }

    /// What an app said to it. An app that answers with an error has been told, and has nothing to say.
    package func answer(_ result: Result<JSONValue, RPCError>) -> TellingAnswer {
        let json = (try? result.get()) ?? .null
        switch kind {
        case .willPresent:
            let words = (try? NotificationPresentationAnswer(json: json))?.options ?? []
            return .present(PresentationOptions(words: words))
        case .didReceive: return .done
        case .push:
            let result = (try? NotificationPushAnswer(json: json))?.result ?? .failed
            return .fetched(PushResult(rawValue: result.rawValue) ?? .failed)
        }
    }
}

extension NotificationRefusal {
    package var rpc: RPCError {
        switch self {
        case .notAttached: RPCError(.outOfOrder, "hello comes first")
        case .notAllowed:
            .notification(.notificationsNotAllowed, "the user has not allowed the app's notifications")
        case .invalid(let parameter, let sentence): .invalidParameter(parameter, sentence)
        case .tooManyPending:
            RPCError(.tooMuch, "64 notifications of the app are pending, and all of them are due sooner")
        case .tooMuch(let sentence): RPCError(.tooMuch, sentence)
        case .noDate:
            .notification(.notificationInvalidNoDate, "no such time comes: it has passed, or no calendar has it")
        case .noSuchNotification:
            RPCError(.unknown, "there is no such notification: greenroom notifications lists those that are")
        case .noSuchApp:
            RPCError(.unknown, "the app has never used notifications: it has to run once and ask for them")
        case .noGateway:
            RPCError(.refused, "no gateway is set: greenroom push gateway URL says where pushes come from")
        case .notRegistered(let sentence): RPCError(.refused, sentence)
        }
    }
}
