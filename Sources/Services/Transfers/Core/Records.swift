package import Model

/// One durable fact. The shell stores it whole under its key; `Codable` is its form.
package enum TransferRecord: Hashable, Sendable {
    case app(AppTransfers)
    case session(SessionRecord)
    case task(TaskRecord)
    case event(EventRecord)
    case kept(KeptFile)
    /// So many bytes of a task's file are on the disk: beside the task, so that a chunk costs a number, not a record.
    /// It may reach the disk later than the others, but not out of order with them.
    case offset(TransferID, Int64)
    /// The numbers that were given out.
    case counters(TransferCounters)
}

package enum TransferRecordKey: Hashable, Sendable {
    case app(AppIdentifier)
    case session(SessionID)
    /// With its offset.
    case task(TransferID)
    case event(SessionID, EventNumber)
    case kept(TransferFile)
}

/// Everything that was stored, for `TransferSystem.init(restoring:)`; in any order.
package struct StoredTransfers: Sendable {
    package var records: [TransferRecord]

    package init(_ records: [TransferRecord] = []) { self.records = records }
}

package struct TransferCounters: Hashable, Sendable, Codable {
    package var nextTransfer: UInt64 = 1
    package var nextSession: UInt64 = 1
    package var nextPart: UInt64 = 1

    package init() {}
}

/// What is known of an app beside its sessions.
package struct AppTransfers: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    /// How often its transfers woke it since the user opened it, or since a delay passed unused.
    package var wakes: Int32 = 0
    package var lastWake: WallTime?
    /// A task was made in the background since the last wake.
    package var usedDelay = false
    /// The user ended it: nothing wakes it until it is opened.
    package var isEndedByUser = false
    /// How many of its tasks were set aside, one soon after another, and when the last was.
    package var setAside: Int32?
    package var lastSetAside: WallTime?

    package init(_ app: AppIdentifier) { self.app = app }
}

package struct SessionRecord: Hashable, Sendable, Codable {
    package enum Announcement: Hashable, Sendable, Codable {
        case none
        /// The system has to be told, or was and has not answered.
        case due(WakeReason)
        /// The system answered: it is durable there.
        case told(WakeReason)
    }

    package let id: SessionID
    /// `nil`: the tool's own.
    package let app: AppIdentifier?
    package let name: String
    package var configuration: TransferConfiguration
    package var nextTask: Int64 = 1
    package var nextEvent: EventNumber = 1
    package var announcement = Announcement.none
    package var announcements: UInt64 = 0
    /// No more tasks; `invalidated` is told once all have ended.
    package var isInvalidated = false

    package init(id: SessionID, app: AppIdentifier?, name: String, configuration: TransferConfiguration) {
        self.id = id
        self.app = app
        self.name = name
        self.configuration = configuration
    }
}

package enum WakeReason: String, Sendable, Codable { case finished, authentication }

/// Where a task is. What is durable of it: a task that runs is stored as one that waits. A task is challenged when its
/// delegate has been asked something and has not answered.
package enum TaskPhase: String, Sendable, Codable, CaseIterable {
    case suspended, waiting, running, challenged, placing, ended
}

package struct PendingChallenge: Hashable, Sendable, Codable {
    package var number: EventNumber
    package var space: ChallengeSpace
    package var previousFailures: Int32

    package init(number: EventNumber, space: ChallengeSpace, previousFailures: Int32) {
        self.number = number
        self.space = space
        self.previousFailures = previousFailures
    }
}

/// Whether the delegate was asked before a request that `earliestBegin` delayed.
package enum DelayedStart: Hashable, Sendable, Codable {
    /// By the event of that number, and it has not answered.
    case asked(EventNumber)
    case settled
}

/// The service itself has ended by a fault while the task was on the wire: because of it, or beside it.
package struct Suspicion: Hashable, Sendable, Codable {
    /// How often.
    package var deaths: Int32
    /// So long it has run alone since the last time, and nothing happened.
    package var served = Span.zero

    package init(deaths: Int32) { self.deaths = deaths }
}

/// How a task ended.
package struct TaskOutcome: Hashable, Sendable, Codable {
    /// `nil`: the server's answer is the result, whatever its status.
    package var error: TransferError?
    package var resumeData: ResumeData?
    package var ended: WallTime

    package init(error: TransferError?, resumeData: ResumeData?, ended: WallTime) {
        self.error = error
        self.resumeData = resumeData
        self.ended = ended
    }
}

package struct TaskRecord: Hashable, Sendable, Codable {
    package let id: TransferID
    package let session: SessionID
    /// The client's.
    package let number: Int64
    package let kind: TransferKind
    package var request: TransferRequest
    package var description: String?
    package var priority: Int32
    package var earliestBegin: WallTime?
    package var expectsToSend: Int64?
    package var expectsToReceive: Int64?
    /// The session said so, or it was made in the background.
    package var isDiscretionary: Bool
    package let created: WallTime
    package var phase = TaskPhase.suspended
    /// From the first `resume`.
    package var deadline: WallTime?
    /// Not before: made in the background of an app that transfers woke often.
    package var delayedUntil: WallTime?

    package var body: UploadBody?
    package var file: TransferFile?
    /// So many bytes are on the disk.
    package var durable: Int64 = 0
    package var expected: Int64?
    package var validator: Validator?
    package var response: TransferResponse?
    /// What the server said of an error is the content: it cannot be continued.
    package var isErrorBody = false
    package var resumedAt: Int64?
    /// Where an upload can be continued, and how far it is known to have come.
    package var uploadResource: String?
    package var sent: Int64 = 0

    package var credential: TransferCredential?
    /// Whose the credential is.
    package var credentialSpace: ChallengeSpace?
    /// For the proxy of the session; in place of what its configuration says.
    package var proxyCredential: TransferCredential?
    package var challenge: PendingChallenge?
    package var challenges: Int32 = 0
    package var delayedStart: DelayedStart?
    package var acceptsUnauthorized = false

    /// In a row, without a byte in between.
    package var failures: Int32 = 0
    package var attempts: UInt32 = 0
    package var retryAt: WallTime?
    package var waitsForDisk = false
    package var lastProblem: String?
    package var digestFailures: Int32 = 0
    /// How often in a row the server has answered that it may be better the next time; `nil`: never.
    package var refusals: Int32?
    /// From when on it could have begun, but for a cold radio.
    package var radioSince: WallTime?
    package var outcome: TaskOutcome?
    package var checksum: String?
    package var target: String?
    package var suspicion: Suspicion?

    package init(
        id: TransferID, session: SessionID, creation: TransferCreation, isDiscretionary: Bool, created: WallTime
    ) {
        self.id = id
        self.session = session
        number = creation.number
        kind = creation.kind
        request = creation.request
        description = creation.description
        priority = creation.priority
        earliestBegin = creation.earliestBegin
        expectsToSend = creation.expectsToSend
        expectsToReceive = creation.expectsToReceive
        body = creation.body
        checksum = creation.checksum
        target = creation.target
        self.isDiscretionary = isDiscretionary
        self.created = created
    }

    /// The delegate is asked before it begins, and has not answered.
    package var isAskedFirst: Bool {
        if case .asked? = delayedStart { return true }
        return false
    }

    /// Something is up to its delegate.
    package var hasQuestion: Bool { challenge != nil || isAskedFirst }
}

package struct EventRecord: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        case resumedAt(offset: Int64, expected: Int64?)
        /// The file of the task.
        case finished
        /// What the task's record says.
        case completed
        case challenge(PendingChallenge)
        /// The request of the task.
        case delayedRequest
        case finishedEvents
        case invalidated
    }

    package let session: SessionID
    package let number: EventNumber
    package let task: TransferID?
    package let kind: Kind

    package init(session: SessionID, number: EventNumber, task: TransferID?, kind: Kind) {
        self.session = session
        self.number = number
        self.task = task
        self.kind = kind
    }
}

/// The file behind resume data that a client has.
package struct KeptFile: Hashable, Sendable, Codable {
    package var app: AppIdentifier?
    package var resumeData: ResumeData
    package var until: WallTime

    package init(app: AppIdentifier?, resumeData: ResumeData, until: WallTime) {
        self.app = app
        self.resumeData = resumeData
        self.until = until
    }
}
