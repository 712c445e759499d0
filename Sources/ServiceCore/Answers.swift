/// The daemon's answer to `hold`.
package enum HoldAnswer: Hashable, Sendable, Codable {
    case allowed
    /// It lacks the key and is not on the screen, or its process is gone.
    case refused
    /// The daemon died before it answered. The service states what it holds to the next one.
    case lost
}

/// The daemon's answer to `wake`.
package enum WakeAnswer: Hashable, Sendable, Codable {
    /// The app is called, whatever becomes of this process.
    case allowed
    /// Not now: it handles this window already, or there is no room. The service asks again.
    case notNow
    /// Not at all: it is removed, or the user has closed it.
    case never
    /// The daemon died before it answered.
    case lost
}

/// How a window ended.
package enum WindowEnd: String, Hashable, Sendable, Codable, CaseIterable { case done, late, gone }

/// Another service's answer to `ask`.
package enum ServiceAnswer: Hashable, Sendable, Codable {
    case heard
    /// It would refuse the same question again.
    case refused
    /// It ended before it answered, or has too much to do. It may be asked again.
    case lost
}

/// For a service that does not need what a case carries.
package struct Nothing: Hashable, Sendable, Codable {
    package init() {}
}
