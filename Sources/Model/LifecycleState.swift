/// The five states of document A. Inactive and active together are the foreground.
package enum LifecycleState: UInt8, Sendable, Codable, CaseIterable {
    case notRunning, inactive, active, background, suspended

    /// The name that tools print.
    package var name: String {
        switch self {
        case .notRunning: "not-running"
        case .inactive: "inactive"
        case .active: "active"
        case .background: "background"
        case .suspended: "suspended"
        }
    }

    package var isForeground: Bool { self == .inactive || self == .active }
    package var isRunning: Bool {
        switch self {
        case .notRunning, .suspended: false
        case .inactive, .active, .background: true
        }
    }
}

/// What happens to an app's process, as the transition table knows it.
package enum LifecycleEvent: UInt8, Sendable, Codable, CaseIterable {
    case launchedIntoForeground, launchedIntoBackground
    case becameActive, resignedActive, enteredBackground, enteredForeground
    case froze, thawed
    case ended
}

/// A transition that no document allows; it names both sides.
package struct IllegalTransition: Error, Equatable, CustomStringConvertible {
    package let from: LifecycleState
    package let event: LifecycleEvent

    package var description: String { "an app that is \(from.name) cannot have \(event)" }
}

extension LifecycleState {
    /// The whole transition table (L1). Each state names the events that it refuses.
    package func after(_ event: LifecycleEvent) throws(IllegalTransition) -> LifecycleState {
        switch (self, event) {
        // Valid transitions are to: inactive, background.
        case (.notRunning, .launchedIntoForeground): return .inactive
        case (.notRunning, .launchedIntoBackground): return .background
        case (.notRunning, .becameActive), (.notRunning, .resignedActive), (.notRunning, .enteredBackground),
            (.notRunning, .enteredForeground), (.notRunning, .froze), (.notRunning, .thawed), (.notRunning, .ended):
            throw IllegalTransition(from: self, event: event)

        // Valid transitions are to: active, background, not running (crash, watchdog, last-resort memory, opt-out).
        case (.inactive, .becameActive): return .active
        case (.inactive, .enteredBackground): return .background
        case (.inactive, .ended): return .notRunning
        case (.inactive, .launchedIntoForeground), (.inactive, .launchedIntoBackground), (.inactive, .resignedActive),
            (.inactive, .enteredForeground), (.inactive, .froze), (.inactive, .thawed):
            throw IllegalTransition(from: self, event: event)

        // Valid transitions are to: inactive, not running (crash, watchdog, last-resort memory).
        case (.active, .resignedActive): return .inactive
        case (.active, .ended): return .notRunning
        case (.active, .launchedIntoForeground), (.active, .launchedIntoBackground), (.active, .becameActive),
            (.active, .enteredBackground), (.active, .enteredForeground), (.active, .froze), (.active, .thawed):
            throw IllegalTransition(from: self, event: event)

        // Valid transitions are to: inactive, suspended, not running.
        case (.background, .enteredForeground): return .inactive
        case (.background, .froze): return .suspended
        case (.background, .ended): return .notRunning
        case (.background, .launchedIntoForeground), (.background, .launchedIntoBackground),
            (.background, .becameActive), (.background, .resignedActive), (.background, .enteredBackground),
            (.background, .thawed):
            throw IllegalTransition(from: self, event: event)

        // Valid transitions are to: background, not running.
        case (.suspended, .thawed): return .background
        case (.suspended, .ended): return .notRunning
        case (.suspended, .launchedIntoForeground), (.suspended, .launchedIntoBackground), (.suspended, .becameActive),
            (.suspended, .resignedActive), (.suspended, .enteredBackground), (.suspended, .enteredForeground),
            (.suspended, .froze):
            throw IllegalTransition(from: self, event: event)
        }
    }
}

/// Where on the screen an app is. The system's own home screen is not an app.
package enum ScreenRole: UInt8, Sendable, Codable, CaseIterable {
    case primary, secondary, pip

    package var name: String {
        switch self {
        case .primary: "primary"
        case .secondary: "secondary"
        case .pip: "pip"
        }
    }
}
