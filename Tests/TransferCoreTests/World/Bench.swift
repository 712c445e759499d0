import Model
import Testing
import TransferCore
import TransferSimulation

let journal: AppIdentifier = name("org.example.journal")
let podcasts: AppIdentifier = name("org.example.podcasts")

private func name(_ text: String) -> AppIdentifier {
    guard let name = AppIdentifier(text) else { preconditionFailure("\(text) is an identifier") }  // A constant.
    return name
}

/// A system under one test's hand: every event is followed by a look at the invariants, and every record is kept.
struct Bench {
    static let offset = Span.seconds(1_800_000_000)

    var rules: TransferRules
    private(set) var system: TransferSystem
    var store = Facts()
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
    private(set) var conditions: TransferConditions
    var hasSystem: Bool
    /// All that was asked of the shell, but for records.
    private(set) var effects: [TransferEffect] = []
    /// What the system says again after every hello.
    private var presences: [AppIdentifier: AppPresence] = [:]
    /// What `drain` has dealt with.
    var seen: Set<TransferEffect> = []
    private var requests: UInt64 = 0
    private var connections: UInt64 = 0

    init(
        rules: TransferRules = TransferRules(), conditions: TransferConditions = TransferConditions(network: .wifi),
        hasSystem: Bool = true, seed: UInt64 = 1
    ) {
        self.rules = rules
        self.conditions = conditions
        self.hasSystem = hasSystem
        system = TransferSystem(rules: rules, seed: seed)
        begin()
    }

    private mutating func begin(after died: [TransferID]? = nil) {
        send(.clockChanged(Self.offset))
        if let died { send(.died(died)) }
        send(.conditions(conditions))
        if hasSystem { send(.systemAttached) }
        for (app, presence) in presences.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            send(.appState(app, presence))
        }
    }

    var wall: WallTime { WallTime(nanoseconds: now.nanoseconds + Self.offset.nanoseconds) }

    func wall(in seconds: Double) -> WallTime {
        WallTime(nanoseconds: wall.nanoseconds + Span.seconds(seconds).nanoseconds)
    }

    @discardableResult
    mutating func send(_ event: TransferEvent, _ place: SourceLocation = #_sourceLocation) -> [TransferEffect] {
        if case .appState(let app, let presence) = event { presences[app] = presence }
        let result = system.handle(event, at: now)
        for broken in system.brokenInvariants() { Issue.record("\(broken) after \(event)", sourceLocation: place) }
        let order = result.map(\.isRecord)
        #expect(order == order.sorted { $0 && !$1 }, "records come first", sourceLocation: place)
        store.commit(result)
        let rest = result.filter { !$0.isRecord }
        effects += rest
        return rest
    }

    /// Lets time pass, with a timer whenever the system wants one.
    @discardableResult
    mutating func pass(_ seconds: Double, _ place: SourceLocation = #_sourceLocation) -> [TransferEffect] {
        let end = now + .seconds(seconds)
        var result: [TransferEffect] = []
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

    /// Lets time pass until a download begins: the next try of what had failed.
    mutating func passToDownload(_ place: SourceLocation = #_sourceLocation) -> (
        attempt: AttemptID, order: DownloadOrder
    )? {
        for _ in 0..<1000 {
            guard let next = system.nextDeadline() else { return nil }
            now = max(now, next)
            if let begun = send(.timer, place).downloads.first { return begun }
        }
        return nil
    }

    /// The process dies after the last event, and another one begins with what was stored.
    ///
    /// - Parameter died: it died of a fault of its own, with these on the wire.
    @discardableResult
    mutating func restart(after died: [UInt64]? = nil) -> [TransferEffect] {
        system = TransferSystem(restoring: store.stored, rules: rules, seed: 2)
        let before = effects.count
        begin(after: died?.map(TransferID.init))
        return Array(effects[before...])
    }

    mutating func forgetEffects() { effects.removeAll() }

    mutating func request() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    mutating func attach(_ app: AppIdentifier = journal) -> ConnectionID {
        connections += 1
        let connection = ConnectionID(connections)
        send(.attached(connection, app))
        return connection
    }

    @discardableResult
    mutating func ask(
        _ connection: ConnectionID, _ asked: ClientRequest, _ place: SourceLocation = #_sourceLocation
    ) -> Result<TransferReply, TransferRefusal> {
        let id = request()
        return answer(to: id, in: send(.client(connection, id, asked), place), place)
    }

    @discardableResult
    mutating func ask(
        tool asked: ToolRequest, _ place: SourceLocation = #_sourceLocation
    ) -> Result<TransferReply, TransferRefusal> {
        let id = request()
        return answer(to: id, in: send(.tool(id, asked), place), place)
    }

    private func answer(
        to id: RequestID, in effects: [TransferEffect], _ place: SourceLocation
    ) -> Result<TransferReply, TransferRefusal> {
        for effect in effects {
            if case .reply(id, let reply) = effect { return .success(reply) }
            if case .refuse(id, let refusal) = effect { return .failure(refusal) }
        }
        Issue.record("no answer", sourceLocation: place)
        return .success(.done)
    }

    mutating func setConditions(_ change: (inout TransferConditions) -> Void) -> [TransferEffect] {
        change(&conditions)
        return send(.conditions(conditions))
    }

    // Shorthand for what most tests begin with.

    static func download(
        _ number: Int64 = 1, _ url: String = "https://example.org/a", priority: Int32 = 500,
        earliestBegin: WallTime? = nil, allowsCellular: Bool = true
    ) -> TransferCreation {
        TransferCreation(
            number: number, kind: .download, request: TransferRequest(url: url, allowsCellular: allowsCellular),
            priority: priority, earliestBegin: earliestBegin)
    }

    static func upload(_ number: Int64 = 1, length: Int64 = 1000, file: UInt64 = 1) -> TransferCreation {
        TransferCreation(
            number: number, kind: .upload, request: TransferRequest(url: "https://example.org/up", method: "PUT"),
            body: UploadBody(file: .body(file), length: length))
    }

    /// A connection of an app with an open session.
    mutating func open(
        _ session: String = "s", app: AppIdentifier = journal, presence: AppPresence = .foreground,
        _ configuration: TransferConfiguration = TransferConfiguration()
    ) -> ConnectionID {
        let connection = attach(app)
        send(.appState(app, presence))
        ask(connection, .open(session: session, configuration))
        return connection
    }

    mutating func open(_ configuration: TransferConfiguration) -> ConnectionID {
        open("s", configuration)
    }

    @discardableResult
    mutating func begin(
        _ creation: TransferCreation, on connection: ConnectionID, session: String = "s"
    ) -> [TransferEffect] {
        let before = effects.count
        ask(connection, .create(session: session, creation))
        ask(connection, .resume(session: session, task: creation.number))
        return Array(effects[before...])
    }
}

extension [TransferEffect] {
    var downloads: [(attempt: AttemptID, order: DownloadOrder)] {
        compactMap { if case .startDownload(let attempt, let order) = $0 { (attempt, order) } else { nil } }
    }

    var uploads: [(attempt: AttemptID, order: UploadOrder)] {
        compactMap { if case .startUpload(let attempt, let order) = $0 { (attempt, order) } else { nil } }
    }

    var deliveries: [EventDelivery] { compactMap { if case .deliver(_, let event) = $0 { event } else { nil } } }
    var notes: [ProgressNote] { compactMap { if case .progress(_, let note) = $0 { note } else { nil } } }

    var announcements: [(reason: WakeReason, number: UInt64)] {
        compactMap { if case .announce(_, _, _, let reason, let number) = $0 { (reason, number) } else { nil } }
    }

    var stopped: [AttemptID] { compactMap { if case .stop(let attempt) = $0 { attempt } else { nil } } }
    var removed: [TransferFile] { compactMap { if case .remove(let file) = $0 { file } else { nil } } }
    var bodies: [Int64] { compactMap { if case .receiveBody(_, let at) = $0 { at } else { nil } } }

    var moves: [(id: TransferID, file: TransferFile)] {
        compactMap { if case .moveToClient(let id, let file, _) = $0 { (id, file) } else { nil } }
    }
}

extension ResponseHead {
    static func ok(_ length: Int64?, etag: String? = "\"1\"", _ more: [HeaderField] = []) -> ResponseHead {
        var headers = more
        if let length { headers.append(HeaderField("Content-Length", "\(length)")) }
        if let etag { headers.append(HeaderField("ETag", etag)) }
        return ResponseHead(status: 200, headers: headers)
    }

    static func partial(_ start: Int64, _ total: Int64, etag: String? = "\"1\"") -> ResponseHead {
        var headers = [HeaderField("Content-Range", "bytes \(start)-\(total - 1)/\(total)")]
        if let etag { headers.append(HeaderField("ETag", etag)) }
        return ResponseHead(status: 206, headers: headers)
    }
}

/// Ends a test that lacks what the rest of it is about.
func missing(_ text: String, _ place: SourceLocation = #_sourceLocation) {
    Issue.record("\(text)", sourceLocation: place)
}
