package import ArgumentParser
internal import Model
package import Wire

/// `greenroom log`
package struct LogCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Print what happened, oldest first.",
        discussion: "With --json, one object a line. Each entry names in `cause` the entry that led to it.")

    @Flag(name: .shortAndLong, help: "Go on with what happens from now on.")
    var follow = false

    @Option(help: "Only entries about this app.", completion: .custom { _, _, _ in Completions.apps() })
    var app: String?

    @Option(name: [.customShort("n"), .long], help: "Only the last entries.")
    var lines: Int?

    @OptionGroup var format: JSONOption

    package init() {}

    package func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines needs a number that is not negative") }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        var filter: JSONObject = [:]
        if let app { filter["app"] = .string(try client.filter(app)) }
        var reader = LogReader(client: client, filter: filter)
        let printer = LogPrinter(context: context, asJSON: format.json)
        if let lines {
            printer.print(try reader.last(lines))
        } else {
            try reader.readAll { printer.print($0) }
        }
        if follow { try reader.follow { printer.print($0) } }
    }
}

/// Reads the log in pieces that fit into a message.
struct LogReader {
    private let client: ControlClient
    private let filter: JSONObject
    /// The last entry that was read; what comes again is dropped.
    private(set) var position: Int

    private static let piece = 500

    init(client: ControlClient, filter: JSONObject = [:], after position: Int = 0) {
        self.client = client
        self.filter = filter
        self.position = position
    }

    mutating func readAll(_ use: ([JSONValue]) -> Void) throws(CommandFailure) {
        while true {
            let entries = try newer(than: position, limit: Self.piece)
            guard !entries.isEmpty else { return }
            use(entries)
        }
    }

    mutating func last(_ count: Int) throws(CommandFailure) -> [JSONValue] {
        var kept: [JSONValue] = []
        while true {
            let entries = try newer(than: position, limit: Self.piece)
            guard !entries.isEmpty else { return kept }
            kept = (kept + entries).suffix(count)
        }
    }

    /// Never returns in order: only a failure ends it.
    mutating func follow(_ use: ([JSONValue]) -> Void) throws(CommandFailure) {
        while true {
            // First in pieces: what happened while there was no connection may be too much for one answer.
            try readAll(use)
            use(try subscribe())
            guard let connection = client.connection else { continue }
            do throws(ControlConnection.Broken) {
                while true { use(fresh([try connection.receive()].compactMap(Self.entry))) }
            } catch {
                client.forget()
            }
        }
    }

    /// Asks for what came since and for all that follows.
    mutating func subscribe() throws(CommandFailure) -> [JSONValue] {
        var params = filter
        params["after"] = .int(Int64(position))
        params["follow"] = true
        let entries = try client.request(.log, params).array ?? []
        return fresh(entries + client.early.compactMap(Self.entry))
    }

    /// What a message tells of, if it is an entry.
    static func entry(_ message: RPCMessage) -> JSONValue? {
        guard case .notification(logEntryNotification, let params) = message else { return nil }
        return params
    }

    /// Entries not seen yet: a restart of the daemon may tell of some twice.
    mutating func fresh(_ entries: [JSONValue]) -> [JSONValue] {
        entries.filter { entry in
            guard let sequence = entry["seq"]?.int, sequence > position else { return false }
            position = sequence
            return true
        }
    }

    private mutating func newer(than position: Int, limit: Int) throws(CommandFailure) -> [JSONValue] {
        var params = filter
        params["after"] = .int(Int64(position))
        params["limit"] = .int(Int64(limit))
        return fresh(try client.request(.log, params).array ?? [])
    }
}

/// Entries as lines.
package struct LogPrinter {
    private let context: CommandContext
    private let asJSON: Bool

    package init(context: CommandContext, asJSON: Bool) {
        self.context = context
        self.asJSON = asJSON
    }

    package func print(_ entries: [JSONValue]) {
        for entry in entries { context.print(asJSON ? JSONText.line(entry) : line(entry)) }
    }

    /// The columns are as wide as most values are, since later entries are not known yet.
    private func line(_ json: JSONValue) -> String {
        guard let entry = try? Wire.LogEntry(json: json) else { return Visible.line(json.description) }
        let style = context.style
        let time = Moment(entry.at)?.local(context.clock, milliseconds: true) ?? entry.at
        let number = Self.padded(String(entry.seq), 6, left: true)
        let app = Self.padded(Visible.line(entry.app ?? "device"), 28)
        let event = Self.padded(Visible.line(entry.event), 20)
        var text = "\(style(.dim, "\(number)  \(time)"))  \(app)  \(style(Self.ink(entry.event), event))"
        if let reason = entry.reason { text += "  \(Visible.line(Hints.reason(reason)))" }
        if let took = entry.took { text += style(.dim, "  \(Self.duration(took))") }
        return text
    }

    static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - Table.width(text)))
        return left ? padding + text : text + padding
    }

    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "" }
        if seconds < 0.001 { return "\(Int(seconds * 1e6)) µs" }
        let tenths = Int(seconds < 1 ? seconds * 1e4 : seconds * 10)
        return "\(tenths / 10).\(tenths % 10) \(seconds < 1 ? "ms" : "s")"
    }

    private static func ink(_ event: String) -> Style.Ink? {
        switch event {
        case "launched", "launchedInBackground", "didBecomeActive": .green
        case "suspended": .blue
        case "resumed": .cyan
        case "terminated", "suspensionFailed": .red
        default: nil
        }
    }
}
