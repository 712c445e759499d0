package import Model

/// One durable fact. The shell stores it whole under its key; `Codable` is its form.
package enum NotificationStored: Hashable, Sendable, Codable {
    case app(AppRecord)
    case pending(PendingRecord)
    case delivered(DeliveredRecord)
    case telling(TellingRecord)
    case categories(AppIdentifier, [NotificationCategory])
    case budget(BudgetRecord)
    /// The silent push that waits.
    case held(HeldPush)
    case mutation(MutationRecord)
    case seen(SeenPush)
    case network(NetworkRecord)
    case counters(NotificationCounters)

    package var key: NotificationStoredKey {
        switch self {
        case .app(let record): .app(record.app)
        case .pending(let record): .pending(RequestKey(record.app, record.request.identifier))
        case .delivered(let record): .delivered(record.id)
        case .telling(let record): .telling(record.telling.id)
        case .categories(let app, _): .categories(app)
        case .budget(let record): .budget(record.app)
        case .held(let push): .held(push.app)
        case .mutation(let record): .mutation(record.id)
        case .seen(let push): .seen(slot: push.slot)
        case .network(let record): .network(record.network)
        case .counters: .counters
        }
    }
}

package enum NotificationStoredKey: Hashable, Sendable {
    case app(AppIdentifier)
    case pending(RequestKey)
    case delivered(NotificationID)
    case telling(TellingID)
    case categories(AppIdentifier)
    case budget(AppIdentifier)
    case held(AppIdentifier)
    case mutation(MutationID)
    case seen(slot: UInt32)
    case network(String)
    case counters
}

/// Everything that was stored, for `NotificationSystem.init(restoring:)`; in any order.
package struct StoredNotifications: Sendable {
    package var records: [NotificationStored]

    package init(_ records: [NotificationStored] = []) { self.records = records }
}

/// What could not be restored, and why: the shell erases it and says so.
package struct DamagedRecord: Hashable, Sendable {
    package var key: NotificationStoredKey
    package var reason: String
}

package struct NotificationCounters: Hashable, Sendable, Codable {
    package var nextNotification: UInt64 = 1
    package var nextOrder: UInt64 = 1
    package var nextMutation: UInt64 = 1
    /// How many pushes ever came: their slots among `seen` follow from it.
    package var pushes: UInt64 = 0
    /// The start of the machine that instants in these records count from, and wall clock minus boot clock then.
    package var boot = ""
    package var offset = Span.zero
    /// Which gateway the tokens are of; `nil`: none is configured.
    package var gateway: String?

    package init() {}
}

package struct AppRecord: Hashable, Sendable, Codable {
    package let app: AppIdentifier
    package var settings = NotificationSettings()
    package var badge = 0
    package var nextTelling: TellingNumber = 1
    package var isClosedByUser = false
    /// It asked for remote notifications, and did not take that back.
    package var isRegistered = false
    package var token: String?
    /// `nil`: nobody has said yet.
    package var receivesPushes: Bool?
    /// The service that knows where the device is may watch places for it.
    package var hasPlaces: Bool?
    /// Of its places, the last crossing that was heard of.
    package var lastCrossing: Int64?

    package init(_ app: AppIdentifier) { self.app = app }
}

/// A request that waits for its time.
package struct PendingRecord: Hashable, Sendable, Codable {
    package let app: AppIdentifier
    package var request: NotificationRequest
    /// When the app asked for it, or it was shown last: the next time is behind that.
    package var since: WallTime
    /// When it is shown, if the wall clock says so.
    package var due: WallTime?
    /// When it is shown, if the boot clock says so.
    package var dueInstant: Instant?

    package init(app: AppIdentifier, request: NotificationRequest, since: WallTime) {
        self.app = app
        self.request = request
        self.since = since
    }
}

package struct DeliveredRecord: Hashable, Sendable, Codable {
    package let id: NotificationID
    package let app: AppIdentifier
    package var notification: ArrivedNotification
    /// Grows with each that is shown: one that replaces another is the latest.
    package var order: UInt64
    /// In the app's list; otherwise it was a banner alone, and is forgotten with that.
    package var isListed: Bool

    package init(
        id: NotificationID, app: AppIdentifier, notification: ArrivedNotification, order: UInt64, isListed: Bool
    ) {
        self.id = id
        self.app = app
        self.notification = notification
        self.order = order
        self.isListed = isListed
    }
}

/// What an app is to be told, until it has answered.
package struct TellingRecord: Hashable, Sendable, Codable {
    package enum Way: String, Sendable, Codable {
        /// By its connection, while it is on the screen.
        case connection
        /// It has to be woken.
        case wake
        /// It has to come to the screen.
        case open
    }

    package var telling: Telling
    package var way: Way
    /// How often the app was woken for it.
    package var times: Int32 = 0
    /// The app came to the screen for it, and does so only once.
    package var isOpened = false
    package var created: WallTime

    package init(telling: Telling, way: Way, created: WallTime) {
        self.telling = telling
        self.way = way
        self.created = created
    }
}

/// How many silent pushes an app may get, and got.
package struct BudgetRecord: Hashable, Sendable, Codable {
    package let app: AppIdentifier
    /// What had been earned at `asOf`, in the time that earning it takes; what came since is added when it is needed.
    package var credit: Span
    package var asOf: WallTime
    package var hour = HourCount()

    package init(app: AppIdentifier, credit: Span, asOf: WallTime) {
        self.app = app
        self.credit = credit
        self.asOf = asOf
    }
}

/// Counts of the last hour, in twelve parts of five minutes.
package struct HourCount: Hashable, Sendable, Codable {
    package struct Part: Hashable, Sendable, Codable {
        /// Five minutes, counted from 1970.
        package var number: Int64
        package var came: Int32
        package var passed: Int32

        package init(number: Int64, came: Int32 = 0, passed: Int32 = 0) {
            self.number = number
            self.came = came
            self.passed = passed
        }
    }

    /// The latest last, twelve at most.
    package var parts: [Part] = []

    package init() {}
}

package struct HeldPush: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var message: PushMessage
    package var since: WallTime

    package init(app: AppIdentifier, message: PushMessage, since: WallTime) {
        self.app = app
        self.message = message
        self.since = since
    }
}

/// A notification that a helper of its app may change.
package struct MutationRecord: Hashable, Sendable, Codable {
    package let id: MutationID
    package let app: AppIdentifier
    package var notification: ArrivedNotification

    package init(id: MutationID, app: AppIdentifier, notification: ArrivedNotification) {
        self.id = id
        self.app = app
        self.notification = notification
    }
}

package struct SeenPush: Hashable, Sendable, Codable {
    package var slot: UInt32
    package var id: PushID
    /// Of its content; `nil` in records of earlier versions.
    package var digest: UInt64?

    package init(slot: UInt32, id: PushID, digest: UInt64? = nil) {
        self.slot = slot
        self.id = id
        self.digest = digest
    }
}

/// How long a connection through a network stays usable without a word.
package struct NetworkRecord: Hashable, Sendable, Codable {
    package let network: String
    package var keepAlive: Span
    package var used: WallTime

    package init(network: String, keepAlive: Span, used: WallTime) {
        self.network = network
        self.keepAlive = keepAlive
        self.used = used
    }
}
