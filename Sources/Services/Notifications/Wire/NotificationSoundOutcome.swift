/// With what `greenroom-sound` ends.
package enum NotificationSoundOutcome: Int32, Sendable {
    case converted = 0
    /// It is no sound, or one that no decoder here knows.
    case unreadable = 1
    /// It plays for more than ``longestSeconds``.
    case tooLong = 2
    /// What it is written to is full.
    case unwritable = 3

    /// As on Apple's systems, a longer sound is replaced by the standard one.
    package static let longestSeconds = 30

    /// What the log says of it.
    package var sentence: String {
        switch self {
        case .converted: "was converted"
        case .unreadable: "is no sound that can be read here"
        case .tooLong: "is longer than \(Self.longestSeconds) seconds"
        case .unwritable: "could not be stored for desktops"
        }
    }
}
