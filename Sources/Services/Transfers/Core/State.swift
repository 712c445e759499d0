internal import DequeModule
internal import Model

/// A task, and what is known of it only while the process lives.
struct ActiveTask: Sendable {
    /// What the shell was told to do with the body of the response.
    enum Body: Hashable, Sendable {
        case undecided
        /// It is the thing itself: what is on the disk of it counts.
        case content
        /// It is the server's answer to something else, and cannot be continued.
        case answer
    }

    var record: TaskRecord
    private(set) var server = ""
    private(set) var isLoopback = false
    private(set) var isFetchable = false
    var body = Body.undecided
    var step: UploadOrder.Step = .whole
    var received: Int64
    var sent: Int64 = 0
    var lastActivity = Instant.zero
    /// The total that the client was told last, and when.
    var told: Int64
    var toldAt: Instant?
    var isMoving = false
    /// Where the client finds the file.
    var movedTo: String?
    var moveAgainAt: WallTime?
    /// The tool's requests that wait for the end.
    var waiters: [RequestID] = []
    /// As it was stored last.
    var storedOffset: Int64

    init(_ record: TaskRecord) {
        self.record = record
        received = record.durable
        told = record.durable
        sent = record.sent
        storedOffset = record.durable
        readAddress()
    }

    /// The request is another one.
    mutating func readAddress() {
        let address = Address(record.request.url)
        server = address?.server ?? ""
        isLoopback = address?.isLoopback ?? false
        isFetchable = address != nil
    }

    /// Stands in for an element that is there: `Dictionary` changes in place only with a default.
    static let nobody = ActiveTask(
        TaskRecord(
            id: TransferID(0), session: SessionID(0),
            creation: TransferCreation(number: 0, kind: .download, request: TransferRequest(url: "")),
            isDiscretionary: false, created: WallTime(nanoseconds: 0)))

    var attempt: AttemptID { AttemptID(record.id, record.attempts) }

    /// What of the thing can be continued later.
    var resumeData: ResumeData? {
        guard record.kind == .download, record.durable > 0, !record.isErrorBody, let validator = record.validator,
            let file = record.file
        else { return nil }
        return ResumeData(
            file: file, url: record.request.url, validator: validator, offset: record.durable,
            expected: record.expected)
    }
}

struct Session: Sendable {
    var record: SessionRecord
    var connection: ConnectionID?
    /// Every task that is not told yet, by the client's number.
    var tasks: [Int64: TransferID] = [:]
    /// Tasks that are neither suspended nor ended.
    var active = 0
    var ended = 0
    var challenged = 0
    var events = Deque<EventRecord>()
    /// The first event is with the client.
    var isDelivering = false
    /// The client has not heard of all tasks yet.
    var isListing = false
    /// How many run, by server.
    var running: [String: Int32] = [:]
    /// How often in a row the app was woken for it and went before it had heard all.
    var losses: Int32 = 0
    /// When the system is told again.
    var announceAt: WallTime?

    init(_ record: SessionRecord) { self.record = record }

    /// As with tasks.
    static let nobody = Session(
        SessionRecord(id: SessionID(0), app: nil, name: "", configuration: TransferConfiguration()))
}

struct AppEntry: Sendable {
    var record: AppTransfers
    /// `nil`: the system has not said yet.
    var presence: AppPresence?
    var sessions: [SessionID] = []
    var running: Int32 = 0

    init(_ record: AppTransfers) { self.record = record }
}

struct SessionKey: Hashable, Sendable {
    var app: AppIdentifier?
    var name: String
}

/// What one event changes of what is stored: each record once, as it is in the end.
struct Changes: Sendable {
    var tasks: Set<TransferID> = []
    var sessions: Set<SessionID> = []
    var apps: Set<AppIdentifier> = []
    var counters = false
    /// In the order in which they were decided.
    var others: [TransferEffect] = []

    var isEmpty: Bool { tasks.isEmpty && sessions.isEmpty && apps.isEmpty && !counters && others.isEmpty }
}
