internal import Model

/// What is looked at when the boot clock says so.
enum DueKey: Hashable, Sendable {
    case interval(AppIdentifier)
    case budget(AppIdentifier)
    case tellings(AppIdentifier)
    case mutation(MutationID)
    case keepAlive
    case places(AppIdentifier)
}

extension DueKey: DueKeyed {
    private var rank: (kind: Int, number: UInt64, app: String) {
        switch self {
        case .interval(let app): (0, 0, app.rawValue)
        case .budget(let app): (1, 0, app.rawValue)
        case .tellings(let app): (2, 0, app.rawValue)
        case .mutation(let id): (3, id.rawValue, "")
        case .keepAlive: (4, 0, "")
        case .places(let app): (5, 0, app.rawValue)
        }
    }

    func isBefore(_ other: DueKey) -> Bool { rank < other.rank }
}

extension AppIdentifier: DueKeyed {
    func isBefore(_ other: AppIdentifier) -> Bool { rawValue < other.rawValue }
}

/// A request that waits.
struct PendingEntry: Sendable {
    var record: PendingRecord

    /// What waits for a place to be entered or left comes after all that has a time.
    func instant(offset: Span) -> Instant {
        if let due = record.due { return Instant(nanoseconds: due.nanoseconds) + (Span.zero - offset) }
        return record.dueInstant ?? Instant(nanoseconds: .max)
    }

    /// By what is stored, so that a restart changes nothing.
    func isSooner(than other: PendingEntry, offset: Span) -> Bool {
        (instant(offset: offset), record.since, record.request.identifier)
            < (other.instant(offset: offset), other.record.since, other.record.request.identifier)
    }
}

/// What an app is to be told, and what is known of that while the process lives.
struct TellingEntry: Sendable {
    var record: TellingRecord
    /// Where it was told.
    var toldOn: ConnectionID?
    /// The app's process has given it to its delegate: it is not told again.
    var isInHand = false
    /// The system is asked to wake or open the app, and has not answered.
    var isAsked = false
    /// The system calls the app, or has: it hears of it in its window.
    var isHanded = false
    /// That was so when the system was last there, or in the process before this one: the app may be at it.
    var mayBeHanded = false
    /// The system does not wake the app before it is opened.
    var isBlocked = false
    /// How often it was told.
    var tries: Int32 = 0
    var retryAt: Instant?
    /// By then the system has said that the window ended.
    var handedUntil: Instant?
    var deadline: Instant?

    init(_ record: TellingRecord) { self.record = record }

    init(restoring record: TellingRecord) {
        self.record = record
        mayBeHanded = record.times > 0
    }

    var number: TellingNumber { record.telling.id.number }
    var isWithApp: Bool { toldOn != nil || isInHand }

    var nextInstant: Instant? { [retryAt, handedUntil, deadline].compactMap(\.self).min() }

    /// What the app is woken by.
    var window: WakeWindow? {
        switch record.telling.kind {
        case .willPresent: nil
        case .didReceive: record.way == .open ? nil : .response
        case .push: .push
        }
    }

    var push: PushDelivery? {
        if case .push(let push) = record.telling.kind { push } else { nil }
    }
}

struct TokenWaiter: Sendable {
    var connection: ConnectionID
    var request: RequestID
}

struct AppEntry: Sendable {
    var record: AppRecord
    /// `nil`: the system has not said yet.
    var presence: NotificationPresence?
    /// The latest that has said hello comes last.
    var greeted: [ConnectionID] = []
    var pending: [PendingEntry] = []
    /// Those on the screen or in the list, the oldest first.
    var delivered: [NotificationID] = []
    var tellings: [TellingEntry] = []
    var categories: [NotificationCategory] = []
    var mutations = 0
    var waiters: [TokenWaiter] = []
    var places = PlaceWatching()

    init(_ record: AppRecord) { self.record = record }

    var isOnScreen: Bool { presence?.isOnScreen ?? false }

    func category(of notification: ArrivedNotification) -> NotificationCategory? {
        let name = notification.request.content.category
        return name.isEmpty ? nil : categories.first { $0.identifier == name }
    }
}

/// What one event changes of what is stored: the records of apps once each, as they are in the end.
struct Changes: Sendable {
    var apps: Set<AppIdentifier> = []
    var budgets: Set<AppIdentifier> = []
    var counters = false
    /// In the order in which they were decided.
    var others: [NotificationEffect] = []

    var isEmpty: Bool { apps.isEmpty && budgets.isEmpty && !counters && others.isEmpty }
}
