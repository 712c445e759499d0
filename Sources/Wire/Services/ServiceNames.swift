/// The environment that the daemon gives a service (docs/SERVICES.md, section 2).
package enum ServiceEnvironment {
    package static let name = "GREENROOM_SERVICE"
    package static let socket = "GREENROOM_SERVICE_SOCKET"
    package static let folder = "GREENROOM_SERVICE_FOLDER"
}

/// What services ask the daemon for (section 3).
package enum ServiceMethod: String, Sendable, CaseIterable {
    case hello, apps, hold, drop, wake, whose, ask
}

/// What services tell it.
package enum ServiceNotice: String, Sendable, CaseIterable {
    case traffic, note, satellites
}

/// What the daemon asks of services, and tells them (section 4).
package enum ServiceOrder: String, Sendable, CaseIterable {
    case attach, stop, ask

    /// A request whose answer says only that the service is at work. An error is an answer, too.
    package static let ping = "ping"
}

package enum ServiceNews: String, Sendable, CaseIterable {
    case app, program, conditions, ended, windowEnded, closedByUser, forget
}
