package import Model

/// What a service decides: a value that turns events into effects. Equal events give equal effects, on a device, in
/// virtual time and in a replay.
package protocol ServicePolicy: Sendable {
    associatedtype Words: ServiceWords

    /// - Parameter records: what a process before this one stored.
    init(restoring records: [Words.Record], _ start: ServiceStart)

    /// - Parameter now: never earlier than with the event before.
    mutating func handle(_ event: ServiceEvent<Words>, at now: Instant) -> [ServiceEffect<Words>]

    /// When a `timer` is wanted at the latest.
    var nextDeadline: Instant? { mutating get }

    /// Nothing is under way or waited for: the process may end.
    var isIdle: Bool { get }

    /// What is stated to a new daemon.
    var holds: [ServiceHold<Words.Hold>] { get }

    /// What is not as it has to be, after every event.
    func brokenInvariants() -> [String]
}

/// What a process of a service begins with, beside its records.
package struct ServiceStart: Hashable, Sendable, Codable {
    /// For what must not be the same in each process.
    package var seed: UInt64
    /// The boot clock.
    package var now: Instant

    package init(seed: UInt64 = 0, now: Instant = .zero) {
        self.seed = seed
        self.now = now
    }
}

/// What the daemon holds for an app's process.
package struct ServiceHold<Name: RawRepresentable<String> & Hashable & Sendable>: Hashable, Sendable {
    package var app: AppIdentifier
    package var process: Int64
    package var name: Name
    /// For people.
    package var because: String

    package init(_ app: AppIdentifier, process: Int64, _ name: Name, because: String) {
        self.app = app
        self.process = process
        self.name = name
        self.because = because
    }
}
