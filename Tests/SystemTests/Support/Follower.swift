import Wire

/// The log as it is written: `greenroom log --follow --json`. What a test waits for, it waits for here.
final class Follower {
    private let child: Child
    private(set) var entries: [LogEntry] = []

    init(_ child: Child) { self.child = child }

    /// The first entry that fits, of those that came after the entry `after`.
    @discardableResult
    func wait(
        for what: String, after: Int = 0, seconds: Double = Patience.usual, where fits: (LogEntry) -> Bool
    ) throws -> LogEntry {
        if let known = entries.first(where: { $0.seq > after && fits($0) }) { return known }
        let patience = Patience(seconds: seconds)
        while true {
            let entry: LogEntry
            do {
                entry = try LogEntry(json: JSONValue(parsing: child.line(patience)))
            } catch let trouble as Trouble {
                let last = entries.suffix(8).map { "\($0.seq) \($0.app ?? "-") \($0.event)" }.joined(separator: ", ")
                throw Trouble("\(what): \(trouble). The log ends with \(last)")
            }
            entries.append(entry)
            if entry.seq > after, fits(entry) { return entry }
        }
    }

    @discardableResult
    func wait(_ event: String, of app: String, after: Int = 0, seconds: Double = Patience.usual) throws -> LogEntry {
        try wait(for: "\(event) of \(app)", after: after, seconds: seconds) { $0.app == app && $0.event == event }
    }
}

extension LogEntry {
    static let callbacks = [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
        "willEnterForeground", "willTerminate", "openedURL", "didReceiveMemoryWarning",
    ]

    var isCallback: Bool { Self.callbacks.contains(event) }

    /// Seconds within its day; tests that compare two of them do not run at midnight, or see a difference that is too
    /// small.
    var secondOfDay: Double {
        let time = at.split(separator: "T").last?.dropLast().split(separator: ":").compactMap { Double($0) } ?? []
        return time.reduce(0) { $0 * 60 + $1 }
    }
}
