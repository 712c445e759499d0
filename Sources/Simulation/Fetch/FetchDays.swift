package import Model

/// A person's days, as far as fetching is concerned: when which app was opened and left, when somebody was there, and
/// what else woke the radio.
package struct FetchDays: Sendable {
    /// In the order in which they count within a second.
    package enum Kind: UInt8, Hashable, Sendable {
        case present, radio, left, opened, absent
    }

    package struct Entry: Hashable, Sendable {
        package var at: Instant
        package var kind: Kind
        /// One that is opened on enough days.
        package var app: Int?
    }

    /// The wall-clock time of `Instant.zero`.
    package let begin: WallTime
    package private(set) var end = Instant.zero
    /// The apps that fetch.
    package private(set) var apps: [String] = []
    package private(set) var entries: [Entry] = []
    /// Each app's openings, in order.
    package private(set) var openings: [[Instant]] = []
    /// From when on each app may be fetched for.
    package private(set) var asked: [Instant] = []
    /// When each app was on screen, in order.
    package private(set) var onScreen: [[(from: Instant, to: Instant)]] = []
    /// When something else woke the radio.
    package private(set) var traffic: [Instant] = []

    package var openingCount: Int { openings.reduce(0) { $0 + $1.count } }

    /// The openings that a fetch could serve: of an app that was not on screen for so long.
    package func visits(_ app: Int, after span: Span = .seconds(3600)) -> [Instant] {
        openings[app].indices.compactMap { number in
            let isSeen = number > 0 && openings[app][number] - onScreen[app][number - 1].to <= span
            return isSeen || openings[app][number] <= asked[app] ? nil : openings[app][number]
        }
    }

    package var visitCount: Int { apps.indices.reduce(0) { $0 + visits($1).count } }

    /// All apps that were opened on so many days fetch, from the first moment on.
    ///
    /// - Parameter first: only so much of the beginning counts, and apps fetch from when they are opened first: the
    ///   device is new.
    package init(_ trace: UsageTrace, leastDays: Int = 5, first length: Span? = nil) {
        let first = trace.entries.first?.time ?? 0
        let last = length.map { first + $0.nanoseconds / 1_000_000_000 } ?? .max
        begin = WallTime(nanoseconds: first * 1_000_000_000)
        func instant(_ time: Int64) -> Instant { Instant(nanoseconds: (time - first) * 1_000_000_000) }
        var days = trace.apps.map { _ in Set<Int64>() }
        for entry in trace.entries where entry.kind == .open {
            if let app = entry.app { days[app].insert(entry.time / 86_400) }
        }
        let chosen = trace.apps.indices.filter { days[$0].count >= leastDays }.sorted {
            trace.apps[$0] < trace.apps[$1]
        }
        apps = chosen.map { trace.apps[$0] }
        openings = apps.map { _ in [] }
        onScreen = apps.map { _ in [] }
        for entry in trace.entries where entry.time < last {
            let at = instant(entry.time)
            end = max(end, at)
            let app = entry.app.flatMap { chosen.firstIndex(of: $0) }
            switch entry.kind {
            case .open:
                leave(at)
                entries.append(Entry(at: at, kind: .opened, app: app))
                guard let app else { continue }
                openings[app].append(at)
                onScreen[app].append((at, at + .seconds(Double(entry.duration))))
                current = app
            case .unlock, .wake: entries.append(Entry(at: at, kind: .present))
            case .sleep, .boot, .shutdown:
                leave(at)
                entries.append(Entry(at: at, kind: .absent))
            case .notification:
                traffic.append(at)
                entries.append(Entry(at: at, kind: .radio))
            }
        }
        leave(end)
        // Before the first moment, so that an opening in it counts.
        asked = openings.map { length == nil ? Instant(nanoseconds: -1) : $0.first ?? end }
        entries.sort { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
    }

    /// The app on screen, while the trace is read.
    private var current: Int?

    /// Its use ends when the trace says so, or when something else comes.
    private mutating func leave(_ at: Instant) {
        guard let app = current, let last = onScreen[app].last else { return }
        let left = min(at, last.to)
        onScreen[app][onScreen[app].count - 1].to = left
        entries.append(Entry(at: left, kind: .left, app: app))
        current = nil
    }

    package func wall(_ moment: Instant) -> WallTime { begin + (moment - .zero) }

    /// Until when the app is on screen; `nil`: it is not.
    package func onScreen(_ app: Int, at moment: Instant) -> Instant? {
        var (low, high) = (0, onScreen[app].count)
        while low < high {
            let middle = (low + high) / 2
            if onScreen[app][middle].from <= moment { low = middle + 1 } else { high = middle }
        }
        guard low > 0, moment < onScreen[app][low - 1].to else { return nil }
        return onScreen[app][low - 1].to
    }
}
