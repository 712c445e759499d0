/// What names an app for people and on disk: a bundle identifier, or the name of a `.desktop` file.
package struct AppIdentifier: Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    /// Fails unless the text matches `[A-Za-z0-9._-]{1,127}` and is usable as a file name.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...127).contains(bytes.count), let first = bytes.first, first != UInt8(ascii: "."),
            first != UInt8(ascii: "-")
        else { return nil }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return nil
            }
        }
        rawValue = text
    }

    package var description: String { rawValue }
}

/// An app's place in the Core's table. It is given at installation and never given again to another app.
package struct AppIndex: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt32
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (a: AppIndex, b: AppIndex) -> Bool { a.rawValue < b.rawValue }
}

/// Counts the launches of an app, so that news of an earlier process is never taken for news of the present one.
package struct Generation: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt32
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package var next: Generation { Generation(rawValue &+ 1) }
    package static func < (a: Generation, b: Generation) -> Bool { a.rawValue < b.rawValue }
}

/// One launch of an app: all its processes, until the last has ended.
package struct Incarnation: Hashable, Sendable, Codable {
    package var app: AppIndex
    package var generation: Generation

    package init(_ app: AppIndex, _ generation: Generation) {
        self.app = app
        self.generation = generation
    }
}

/// Numbers the callbacks of one process, from 1.
package struct CallbackNumber: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: CallbackNumber, b: CallbackNumber) -> Bool { a.rawValue < b.rawValue }
}

/// Numbers the log entries of a system; it goes on across restarts.
package struct LogSequence: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: LogSequence, b: LogSequence) -> Bool { a.rawValue < b.rawValue }
}

/// Names a tool's command until it is answered.
package struct CommandID: Hashable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names a request of an app, a tool or a service until it is answered.
package struct RequestID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: RequestID, b: RequestID) -> Bool { a.rawValue < b.rawValue }
}

/// Names a background task within one process; the app chooses it. Zero is none (`UIBackgroundTaskIdentifier.invalid`).
package struct TaskID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static let invalid = TaskID(0)
    package static func < (a: TaskID, b: TaskID) -> Bool { a.rawValue < b.rawValue }
}

package struct AssertionID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: AssertionID, b: AssertionID) -> Bool { a.rawValue < b.rawValue }
}
