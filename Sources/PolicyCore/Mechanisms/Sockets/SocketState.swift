internal import Model

extension Sockets {
    /// What the Core knows of the sockets of one process.
    struct State: Hashable, Codable, Sendable {
        /// How far an app of the mode `listen` is on its way to suspension.
        enum Phase: UInt8, Hashable, Codable, Sendable {
            /// The app runs for another reason, or does not run. Its sockets are not checked. Valid transitions are to:
            /// busy, quiet, called.
            case none
            /// Somebody was connected, or it worked, when last seen. Valid transitions are to: quiet, none.
            case busy
            /// It has the grace to show that it does something. Valid transitions are to: busy, none.
            case quiet
            /// It was called over a message bus. Valid transitions are to: busy, none.
            case called
        }

        /// How an app answers calls over a message bus.
        struct Calls: Hashable, Codable, Sendable {
            /// The app may work for the last call until then.
            var limit: Instant
            /// How many times in succession the app ran for a call and did not read it.
            var unread: UInt8 = 0
            /// Calls no longer wake the app, because it does not read them.
            var isDeaf = false
        }

        var phase = Phase.none
        /// How often in succession somebody was left waiting for a whole grace.
        var ignored: UInt8 = 0
        /// It does not answer: it is not woken any more.
        var isDeaf = false
        /// The listeners for which a report was written.
        var told: [String] = []
        /// The calls since the app was last on screen, or `nil` if there were none.
        var calls: Calls?
        /// Connections that stood when it was frozen.
        var connections: Int32 = 0
    }
}

extension Sockets.State: Blank {
    static var blank: Sockets.State { Sockets.State() }
}
