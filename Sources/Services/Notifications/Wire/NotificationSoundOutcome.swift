/// The exit status of `greenroom-sound`.
package enum NotificationSoundOutcome: Int32, Sendable {
    case converted = 0
    /// The file is not a sound, or no decoder knows it.
    case unreadable = 1
    /// The sound is longer than ``longestSeconds``.
    case tooLong = 2
    /// The output could not be written.
    case unwritable = 3

    /// As on Apple's systems, the standard sound replaces a longer one.
    package static let longestSeconds = 30

    /// The outcome in the log.
    package var sentence: String {
        switch self {
        case .converted: "was converted"
        case .unreadable: "is not a sound that Greenroom can decode"
        case .tooLong: "is longer than \(Self.longestSeconds) seconds"
        case .unwritable: "could not be stored for desktops"
        }
    }
}
