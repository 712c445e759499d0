/// Names a transfer for as long as the service's records live; also the tool's `t12`.
package struct TransferID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: TransferID, b: TransferID) -> Bool { a.rawValue < b.rawValue }
}

/// Names a session of an app.
package struct SessionID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }
}

/// One of an app's connections, numbered by the shell and never again for another one in the same process.
package struct ConnectionID: Hashable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One try to transfer: late news of an earlier try is never taken for news of the present one.
package struct AttemptID: Hashable, Sendable {
    package var transfer: TransferID
    package var number: UInt32

    package init(_ transfer: TransferID, _ number: UInt32) {
        self.transfer = transfer
        self.number = number
    }
}

/// A file of the service's own folder. What no record names (`TransferSystem.filesInUse`) may go.
package enum TransferFile: Hashable, Sendable, Codable {
    /// A download under way, or one that nobody has had yet: `files/N.part`. The Core numbers them.
    case part(UInt64)
    /// What is uploaded, as it was when the task was made: `files/N.body`. The shell numbers them, before `create`.
    case body(UInt64)
}

/// What the numbers of an app's events name: they grow by one a session for ever.
package typealias EventNumber = UInt64
