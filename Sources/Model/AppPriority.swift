/// How much of the machine an app has while others want it too (R14).
package enum AppPriority: UInt8, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Nobody sees or hears it: it has what the others leave, and no real-time threads.
    case background = 1
    /// Hidden, and one of its limits runs, or somebody waits for its answer: as much as any other app, but no real-time
    /// threads.
    case timed = 2
    /// On screen, on its way there or from there, or heard: as much as any other app, and its real-time threads.
    case foreground = 3

    package var name: String {
        switch self {
        case .background: "background"
        case .timed: "timed"
        case .foreground: "foreground"
        }
    }

    package static func < (a: AppPriority, b: AppPriority) -> Bool { a.rawValue < b.rawValue }
}
