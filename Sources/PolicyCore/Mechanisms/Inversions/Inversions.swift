package import Model

/// On screen a main thread may wait for a thread that comes after all others, and so for as long as the machine is
/// busy (M2). Without real-time priorities nothing can raise the other thread, so it is only told of, for whoever
/// wonders why the app does not answer.
package enum Inversions {
    package enum Event: Payload {
        /// The main thread has not answered for a while. Told once of each lock.
        case found(PriorityInversion)

        package enum Tag: UInt8, CaseIterable, Sendable { case found = 87 }

        package var tag: Tag {
            switch self {
            case .found: .found
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .found: self = .found(PriorityInversion(thread: "", rank: .idle, nice: 0))
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .found(var inversion):
                try coder.code(&inversion.thread)
                try coder.code(&inversion.app)
                try coder.code(&inversion.rank)
                try coder.code(&inversion.nice)
                self = .found(inversion)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .found(let inversion): "\(name): \(inversion.sentence)"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some Scope) {
        switch event {
        case .found(let inversion):
            // Who has left the screen meanwhile lets nobody wait.
            guard !scope.isEnding(i), scope.presence(i) != .hidden else { return }
            scope.log(i, .priorityInversion, .waitsForLower(inversion))
        }
    }
}
