internal import Foundation

/// What is kept of an app's scenes in its container, where Apple's system keeps it as well.
@MainActor
struct SavedSessions {
    struct Session {
        /// The system's number.
        var number: Int
        var identifier: String
        var configuration: String?
        var userInfo: [String: Any]?
        var activity: [String: Any]?
    }

    private let file: URL
    private var written: Data?

    private enum Key {
        static let sessions = "sessions"
        static let number = "number"
        static let identifier = "identifier"
        static let configuration = "configuration"
        static let userInfo = "userInfo"
        static let activity = "stateRestorationActivity"
    }

    init() {
        file = URL(fileURLWithPath: NSHomeDirectory())
            .appendingPathComponent("Library/Saved Application State/scenes.plist")
    }

    /// Empty where there is nothing, or where what is there cannot be read: the app then begins anew.
    mutating func read() -> [Session] {
        guard let data = try? Data(contentsOf: file),
            let list = try? unsafe PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let fields = list as? [String: Any]
        else { return [] }
        written = data
        // Before an app could have several, the file was the one session.
        let sessions = fields[Key.sessions] as? [[String: Any]] ?? [fields]
        return sessions.compactMap { fields in
            guard let identifier = fields[Key.identifier] as? String else { return nil }
            return Session(
                number: fields[Key.number] as? Int ?? 1, identifier: identifier,
                configuration: fields[Key.configuration] as? String,
                userInfo: fields[Key.userInfo] as? [String: Any], activity: fields[Key.activity] as? [String: Any])
        }
    }

    /// Writes them if there is something new; whole, or not at all.
    mutating func write(_ sessions: [Session]) throws {
        let list = sessions.map { session in
            var fields: [String: Any] = [Key.number: session.number, Key.identifier: session.identifier]
            fields[Key.configuration] = session.configuration
            fields[Key.userInfo] = session.userInfo
            fields[Key.activity] = session.activity
            return fields
        }
        let data = try PropertyListSerialization.data(
            fromPropertyList: [Key.sessions: list], format: .binary, options: 0)
        guard data != written else { return }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        written = data
    }
}
