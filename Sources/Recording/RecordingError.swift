package import Model

/// Why a recording cannot be read, or does not replay; the sentence says what to do.
package enum RecordingError: Error, Equatable, CustomStringConvertible {
    case notFound(String)
    case noRecording(String)
    case notASegment(String)
    case unreadable(String, String)
    case missingCheckpoint(String)
    case missingSegment(String)
    case unknownVersion(String, Int)
    case damagedCheckpoint(String, String)
    case notALog(String)
    case damaged(file: String, byte: Int, after: Int, expected: String)
    /// A segment ends within a record, and another one goes on behind it.
    case incomplete(file: String, after: Int)
    case checkpointDiffers(file: String, after: Int, Difference)
    case diverged(Divergence)

    package var description: String {
        switch self {
        case .notFound(let path): "there is no \(path)"
        case .noRecording(let path):
            "\(path) holds no recording: give the folder of a system (GREENROOM_HOME), its folder journal or a copy of "
                + "that, or what make demo RECORD=DIR kept. greenroom down removes the journal of the system"
        case .notASegment(let path):
            "\(path) is no part of a recording: give a folder, or a file in it that is called NUMBER.events or "
                + "NUMBER.checkpoint"
        case .unreadable(let path, let why): "\(path) cannot be read: \(why)"
        case .missingCheckpoint(let path):
            "\(path) is missing, and without it the state before the later events is unknown: copy the whole "
                + "folder"
        case .missingSegment(let path): "\(path) is missing, and segments follow it: copy the whole folder"
        case .unknownVersion(let path, let version):
            "\(path) is of version \(version), which this Greenroom does not know: replay it with the one that wrote it"
        case .damagedCheckpoint(let path, let why):
            "\(path) is damaged (\(why)): name a later segment to begin there"
        case .notALog(let path):
            "\(path) is damaged: it does not begin as a segment does. Name a later one to begin there"
        case .damaged(let file, let byte, let after, let expected):
            "\(file) is damaged at byte \(byte), after event \(after): \(expected) expected. Name a later segment to "
                + "begin there"
        case .incomplete(let file, let after):
            "\(file) was cut off after event \(after), and segments follow it: copy the whole folder again"
        case .checkpointDiffers(let file, let after, let difference):
            "after event \(after) the replayed state is not the one in \(file): \(difference)"
        case .diverged(let divergence): divergence.description
        }
    }
}

/// Where two states of the Core differ first.
package struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// Keys and places from the outside in.
    package var path: String
    package var recorded: String
    package var replayed: String

    package var description: String { "\(path) was \(recorded) and is \(replayed)" }
}

/// An effect that came out differently.
package struct Divergence: Hashable, Sendable, CustomStringConvertible {
    package var number: Int
    package var at: WallTime
    /// What happened, in words.
    package var event: String
    /// Counts the event's effects from 1.
    package var effect: Int
    /// The kind that the recording has; `nil` where it has none any more.
    package var recorded: String?
    /// The effect now, in words; `nil` where there is none any more.
    package var replayed: String?
    package var replayedKind: String?
    /// The log entry before the event, in words.
    package var before: String?

    package var description: String {
        var text = "event \(number) at \(at.iso8601) diverges (\(event)): effect \(effect) "
        switch (recorded, replayed) {
        case (let recorded?, nil): text += "was \(recorded), and there is none now"
        case (nil, let replayed?): text += "was not there, and is now \(replayed)"
        case (let recorded?, let replayed?) where recorded == replayedKind:
            text += "was another \(recorded) than now: \(replayed)"
        case (let recorded, let replayed): text += "was \(recorded ?? "none"), and is now \(replayed ?? "none")"
        }
        if let before { text += ". Before it: \(before)" }
        return text
    }
}
