package import Model

/// What a transfer waits for.
package enum WaitCondition: String, Sendable, Codable, CaseIterable {
    case network, unmetered, power, beginDate, retry, hostLimit, appLimit, totalLimit, delay, radio, credential, quota
    case delegate, resume, alone
}

/// Why a transfer does not run, in one sentence.
package struct Explanation: Hashable, Sendable {
    package var sentence: String
    /// `nil`: it waits for nothing.
    package var condition: WaitCondition?
    /// When it is looked at next, whatever happens until then; `nil`: when the condition changes.
    package var next: WallTime?
}

/// A transfer as tools see it.
package struct TransferStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable { case suspended, waiting, running, done, failed, cancelled }

    package var record: TaskRecord
    package var app: AppIdentifier?
    package var session: String
    package var state: State
    package var received: Int64
    package var sent: Int64
    package var expected: Int64?
    package var waitingFor: WaitCondition?
    package var next: WallTime?
}
