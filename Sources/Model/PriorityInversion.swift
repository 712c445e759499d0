/// The main thread of an app on screen waits for a thread that comes after it (M2).
package struct PriorityInversion: Hashable, Sendable, Codable {
    /// Why the other thread comes later.
    package enum Rank: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// It has a processor only when nothing else wants one.
        case idle = 1
        /// It has a higher nice value.
        case nice = 2
        /// It is served last at the disk.
        case disk = 3
        /// Its app has the background's share.
        case background = 4
        /// Its app stands still.
        case suspended = 5
    }

    /// As the app calls the thread, which has what the main thread waits for.
    package var thread: String
    /// The app that it belongs to; empty: the one that waits.
    package var app: String
    package var rank: Rank
    /// The thread's nice value.
    package var nice: Int32

    package init(thread: String, app: String = "", rank: Rank, nice: Int32) {
        self.thread = thread
        self.app = app
        self.rank = rank
        self.nice = nice
    }

    package var sentence: String {
        let owner = app.isEmpty ? "its own thread “\(thread)”" : "the thread “\(thread)” of \(app)"
        let state =
            switch rank {
            case .idle: "gets a processor only when nothing else wants one (SCHED_IDLE)"
            case .nice: "has the nice value \(nice), so that others come first"
            case .disk: "is served last at the disk"
            case .background: "has only the share of apps in the background"
            case .suspended: "stands still, because its app is suspended"
            }
        return
            "its main thread waits for a lock that \(owner) holds, which \(state): nothing raises that thread meanwhile; "
            + "do not share the lock with it, or do such work at the priority of the main thread"
    }
}
