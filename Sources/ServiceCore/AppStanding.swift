package import Model

/// The state of an app, as the daemon reports it.
package struct AppStanding: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case active, inactive, background, suspended
        /// It has no process.
        case none
    }

    package var state: State
    /// The number of its process; zero: it has none.
    package var process: Int64
    /// The user sees it.
    package var isVisible: Bool
    /// Its process was started for a callback that it has not had yet.
    package var awaitsCall: Bool

    package init(_ state: State, process: Int64, isVisible: Bool, awaitsCall: Bool = false) {
        self.state = state
        self.process = process
        self.isVisible = isVisible
        self.awaitsCall = awaitsCall
    }

    /// It has no process.
    package static let gone = AppStanding(.none, process: 0, isVisible: false)

    /// Its process can handle messages now.
    package var isRunning: Bool { state == .active || state == .inactive || state == .background }
    package var isOnScreen: Bool { state == .active || state == .inactive }
}

/// An app that connects, or a program with the service's mode.
package struct AppDescription: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var process: Int64
    /// For people.
    package var name: String
    /// It has the background mode that guards the service.
    package var hasKey: Bool

    package init(_ app: AppIdentifier, process: Int64, name: String, hasKey: Bool) {
        self.app = app
        self.process = process
        self.name = name
        self.hasKey = hasKey
    }
}
