package import Model

/// On screen a main thread may wait for a thread that comes after all others, and so for as long as the machine is
/// busy (M2). Without real-time priorities nothing can raise the other thread, so it is only told of, for whoever
/// wonders why the app does not answer.
package enum Inversions {
    package enum Event: Payload {
        /// The main thread has not answered for a while. Earlier daemons said so once of each lock.
        case found(PriorityInversion)
        /// The main thread has not answered for a while, and waits for a lock: each has a number.
        case seen(PriorityInversion, lock: UInt64)

        package enum Tag: UInt8, CaseIterable, Sendable { case found = 87, seen = 97 }

        package var tag: Tag {
            switch self {
            case .found: .found
            case .seen: .seen
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .found: self = .found(PriorityInversion(thread: "", rank: .idle, nice: 0))
            case .seen: self = .seen(PriorityInversion(thread: "", rank: .idle, nice: 0), lock: 0)
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .found(var inversion):
                try Self.fields(of: &inversion, &coder)
                self = .found(inversion)
            case .seen(var inversion, var lock):
                try Self.fields(of: &inversion, &coder)
                try coder.code(&lock)
                self = .seen(inversion, lock: lock)
            }
        }

        private static func fields<Coder: FieldCoder>(
            of inversion: inout PriorityInversion, _ coder: inout Coder
        ) throws(Coder.Failure) {
            try coder.code(&inversion.thread)
            try coder.code(&inversion.app)
            try coder.code(&inversion.rank)
            try coder.code(&inversion.nice)
        }

        func sentence(name: String) -> String {
            switch self {
            case .found(let inversion), .seen(let inversion, _): "\(name): \(inversion.sentence)"
            }
        }
    }

    /// Of one process: an app that finds ever new ones fills the log with nothing new.
    static let mostLocks = 16

    static func handle(_ event: Event, _ i: Int, in scope: inout some InversionScope) {
        // Who has left the screen meanwhile lets nobody wait.
        guard !scope.isEnding(i), scope.presence(i) != .hidden else { return }
        switch event {
        case .found(let inversion): scope.log(i, .priorityInversion, .waitsForLower(inversion))
        case .seen(let inversion, let lock):
            let known = scope.toldInversions(i)
            guard known.count < mostLocks, !known.contains(lock) else { return }
            scope.setToldInversions(i, known + [lock])
            scope.log(i, .priorityInversion, .waitsForLower(inversion))
        }
    }
}

protocol InversionScope: Scope {
    /// The locks that the log has named.
    func toldInversions(_ i: Int) -> [UInt64]
    mutating func setToldInversions(_ i: Int, _ locks: [UInt64])
}
