import Model
import NotificationsCore
import Testing

let journal: AppIdentifier = name("org.example.journal")
let chat: AppIdentifier = name("org.example.chat")

private func name(_ text: String) -> AppIdentifier {
    guard let name = AppIdentifier(text) else { preconditionFailure("\(text) is an identifier") }  // A constant.
    return name
}

/// What the shell's database would hold, in memory.
struct Facts {
    private(set) var records: [NotificationStoredKey: NotificationStored] = [:]

    mutating func commit(_ effects: [NotificationEffect]) {
        for effect in effects {
            switch effect {
            case .store(let record): records[record.key] = record
            case .erase(let key): records[key] = nil
            default: continue
            }
        }
    }

    var stored: StoredNotifications { StoredNotifications(Array(records.values)) }
}

/// A system under one test's hand: every event is followed by a look at the invariants, and every record is kept.
struct Bench {
    /// 2026-07-01T00:00:00Z is when the machine was started.
    static let start = WallTime(nanoseconds: 1_782_864_000_000_000_000)

    var rules: NotificationRules
    private(set) var system: NotificationSystem
    var store = Facts()
    private(set) var now = Instant.zero
    var offset: Model.Span
    var zone: ZoneRules
    var boot = "first"
    var hasSystem: Bool
    /// All that was asked of the shell, but for records.
    private(set) var effects: [NotificationEffect] = []
    private var presences: [AppIdentifier: NotificationPresence] = [:]
    private var requests: UInt64 = 0
    private var connections: UInt64 = 0

    init(
        rules: NotificationRules = NotificationRules(), zone: ZoneRules = .utc, start: WallTime = Bench.start,
        hasSystem: Bool = true
    ) {
        self.rules = rules
        self.zone = zone
        self.hasSystem = hasSystem
        offset = start - WallTime(nanoseconds: 0)
        system = NotificationSystem(rules: rules, boot: boot)
        begin()
    }

    private mutating func begin() {
        send(.zoneChanged(zone))
        send(.clockChanged(offset))
        for (app, presence) in presences.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            send(.appState(app, presence))
        }
        if hasSystem { send(.systemAttached) }
    }

    var wall: WallTime { WallTime(nanoseconds: now.nanoseconds) + offset }

    @discardableResult
    mutating func send(
        _ event: NotificationEvent, _ place: SourceLocation = #_sourceLocation
    ) -> [NotificationEffect] {
        if case .appState(let app, let presence) = event { presences[app] = presence }
        if case .clockChanged(let changed) = event { offset = changed }
        if case .zoneChanged(let changed) = event { zone = changed }
        let result = system.handle(event, at: now)
        for broken in system.brokenInvariants() { Issue.record("\(broken) after \(event)", sourceLocation: place) }
        let order = result.map(\.isRecord)
        #expect(order == order.sorted { $0 && !$1 }, "records come first", sourceLocation: place)
        store.commit(result)
        let rest = result.filter { !$0.isRecord }
        effects += rest
        return rest
    }

    mutating func nextDeadline() -> Instant? { system.nextDeadline() }

    /// Lets time pass, with a timer whenever the system wants one.
    @discardableResult
    mutating func pass(_ seconds: Double, _ place: SourceLocation = #_sourceLocation) -> [NotificationEffect] {
        let end = now + .seconds(seconds)
        var result: [NotificationEffect] = []
        var turns = 0
        while let next = system.nextDeadline(), next <= end {
            now = max(now, next)
            result += send(.timer, place)
            turns += 1
            guard turns < 100_000 else {
                Issue.record("the timer never rests", sourceLocation: place)
                break
            }
        }
        now = end
        return result
    }

    /// The process dies after the last event, and another one begins with what was stored.
    @discardableResult
    mutating func restart() -> [NotificationEffect] {
        system = NotificationSystem(restoring: store.stored, rules: rules, boot: boot)
        #expect(system.damaged.isEmpty)
        let before = effects.count
        begin()
        return Array(effects[before...])
    }

    /// The machine is off for so long, and starts again.
    @discardableResult
    mutating func reboot(after seconds: Double) -> [NotificationEffect] {
        let wall = wall + .seconds(seconds)
        presences = [:]
        now = Instant(nanoseconds: 5_000_000_000)
        boot += "'"
        offset = wall - WallTime(nanoseconds: now.nanoseconds)
        return restart()
    }

    mutating func forgetEffects() { effects.removeAll() }

    mutating func request() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    /// A process of an app, which has said hello.
    mutating func attach(
        _ app: AppIdentifier = journal, _ presence: NotificationPresence = .active, running: Set<TellingNumber> = []
    ) -> ConnectionID {
        connections += 1
        let connection = ConnectionID(connections)
        send(.appState(app, presence))
        send(.attached(connection, app))
        ask(connection, .hello(running: running))
        return connection
    }

    /// One that may show everything, and is not on the screen any more.
    mutating func authorized(
        _ app: AppIdentifier = journal, _ presence: NotificationPresence = .background,
        _ options: AuthorizationOptions = [.alert, .sound, .badge]
    ) -> ConnectionID {
        let connection = attach(app)
        ask(connection, .authorize(options))
        send(.appState(app, presence))
        return connection
    }

    @discardableResult
    mutating func ask(
        _ connection: ConnectionID, _ asked: AppRequest, _ place: SourceLocation = #_sourceLocation
    ) -> Result<NotificationReply, NotificationRefusal> {
        let id = request()
        return answer(to: id, in: send(.app(connection, id, asked), place), place)
    }

    /// The same, with all that followed.
    mutating func effects(of asked: AppRequest, on connection: ConnectionID) -> [NotificationEffect] {
        send(.app(connection, request(), asked))
    }

    @discardableResult
    mutating func ask(
        tool asked: ToolRequest, _ place: SourceLocation = #_sourceLocation
    ) -> Result<NotificationReply, NotificationRefusal> {
        let id = request()
        return answer(to: id, in: send(.tool(id, asked), place), place)
    }

    private func answer(
        to id: RequestID, in effects: [NotificationEffect], _ place: SourceLocation
    ) -> Result<NotificationReply, NotificationRefusal> {
        for effect in effects {
            if case .reply(id, let reply) = effect { return .success(reply) }
            if case .refuse(id, let refusal) = effect { return .failure(refusal) }
        }
        Issue.record("no answer", sourceLocation: place)
        return .success(.done)
    }

    // Shorthand for what most tests do.

    static func note(
        _ identifier: String, _ trigger: NotificationTrigger = .now, badge: Int? = nil, category: String = "",
        sound: String? = nil
    ) -> NotificationRequest {
        var content = NotificationContent(title: identifier, body: "text of it", badge: badge, sound: sound)
        content.category = category
        return NotificationRequest(identifier: identifier, content: content, trigger: trigger)
    }

    @discardableResult
    mutating func add(
        _ connection: ConnectionID, _ identifier: String, _ trigger: NotificationTrigger = .now, category: String = ""
    ) -> Result<NotificationReply, NotificationRefusal> {
        ask(connection, .add(Self.note(identifier, trigger, category: category)))
    }

    static func push(
        _ number: UInt64, _ payload: String, app: AppIdentifier = journal, type: PushType = .alert,
        collapse: String? = nil, expires: WallTime? = nil, received: WallTime = Bench.start
    ) -> PushMessage {
        PushMessage(
            id: PushID(high: 7, low: number), topic: app.rawValue, type: type, collapse: collapse, payload: payload,
            received: received, expires: expires)
    }

    static let silent = #"{"aps":{"content-available":1},"n":1}"#
    static let alert = #"{"aps":{"alert":{"title":"t","body":"b"},"badge":4,"sound":"default"}}"#
}

extension NotificationEffect {
    var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}

extension [NotificationEffect] {
    var presented: [Presentation] { compactMap { if case .present(let shown) = $0 { shown } else { nil } } }
    /// Identifiers of what is shown.
    var shown: [String] { presented.map(\.notification.request.identifier) }
    var withdrawn: [NotificationID] { compactMap { if case .withdraw(let id) = $0 { id } else { nil } } }
    var told: [Telling] { compactMap { if case .tell(_, let telling) = $0 { telling } else { nil } } }
    var wakes: [WakeOrder] { compactMap { if case .wake(let order) = $0 { order } else { nil } } }
    var opens: [OpenOrder] { compactMap { if case .open(let order) = $0 { order } else { nil } } }
    var mutations: [MutationOrder] { compactMap { if case .mutate(let order) = $0 { order } else { nil } } }
    var reports: [NotificationReport] { compactMap { if case .report(let report) = $0 { report } else { nil } } }
    var acknowledged: [UInt64] { compactMap { if case .acknowledge(let sequence) = $0 { sequence } else { nil } } }
    var badges: [Int] { compactMap { if case .badge(_, let count) = $0 { count } else { nil } } }
    var sounds: [String] { compactMap { if case .playSound(_, let name) = $0 { name } else { nil } } }
    var keepAlives: Int { count { $0 == .sendKeepAlive } }
    var registrations: [String] { compactMap { if case .register(let topic) = $0 { topic } else { nil } } }
    var unregistrations: [String] { compactMap { if case .unregister(let topic) = $0 { topic } else { nil } } }
}

extension Telling {
    var words: String {
        switch kind {
        case .willPresent(let notification): "present \(notification.request.identifier)"
        case .didReceive(let response): "response \(response.notification.request.identifier)"
        case .push(let push): "push \(push.push.low)"
        }
    }
}

extension Result<NotificationReply, NotificationRefusal> {
    var refusal: NotificationRefusal? { if case .failure(let refusal) = self { refusal } else { nil } }
    var isDone: Bool { refusal == nil }
}

extension WallTime {
    init(_ text: String) {
        self = WallTime(iso8601: text) ?? WallTime(nanoseconds: 0)
        if self.nanoseconds == 0, !text.hasPrefix("1970-01-01T00:00:00") { Issue.record("\(text) is no time") }
    }

    /// Without the fraction, which is always zero here.
    var text: String { String(iso8601.prefix(19)) + "Z" }
}
