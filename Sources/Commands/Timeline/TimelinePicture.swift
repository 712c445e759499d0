internal import Model
package import Timeline

/// The timeline in a terminal: a row for each app's states, and below it what it held and used.
package struct TimelinePicture {
    private let tracks: Tracks
    private let clock: Moment.Clock
    private let from: Int64
    private let step: Int64
    private let columns: Int
    private let label: Int

    package init(_ tracks: Tracks, width: Int, clock: Moment.Clock) {
        self.tracks = tracks
        self.clock = clock
        let names = tracks.apps.map { Table.width(Visible.line($0.name)) }
        label = min(28, max(16, names.max() ?? 0))
        columns = max(10, width - label - 2)
        let begin = max(tracks.begin, tracks.earliest ?? tracks.begin)
        from = begin.nanoseconds
        // To the right of the last moment there is nothing.
        step = max(1, (tracks.end.nanoseconds - from + Int64(columns) - 1) / Int64(columns))
    }

    package func text(_ style: Style) -> String {
        guard !tracks.isEmpty, tracks.end.nanoseconds >= from else { return "nothing is kept of that time\n" }
        var rows = [scale(style)]
        rows += device(style)
        for app in tracks.apps { rows += self.rows(app, style) }
        return rows.map { Self.trimmed($0) + "\n" }.joined() + legend(style)
    }

    // MARK: Rows

    private func row(_ name: String, _ plot: String, isSub: Bool = false) -> String {
        var text = (isSub ? "  " : "") + Visible.line(name)
        while Table.width(text) > label { text.removeLast() }
        return LogPrinter.padded(text, label) + "  " + plot
    }

    /// Times along the top, as many as there is room for.
    private func scale(_ style: Style) -> String {
        var text = ""
        let isFine = step < 100_000_000
        let width = isFine ? 12 : 8
        for column in stride(from: 0, through: columns - width, by: 20) {
            let moment = Moment(WallTime(nanoseconds: from + Int64(column) * step))
            let time = moment.local(clock, milliseconds: isFine).suffix(width)
            text += LogPrinter.padded(String(time), min(20, columns - column))
        }
        return row(Self.length(step) + " a column", style(.dim, text))
    }

    private func device(_ style: Style) -> [String] {
        var rows: [String] = []
        if !tracks.device.isEmpty {
            var marks = [Character](repeating: " ", count: columns)
            for point in tracks.device {
                guard let column = column(point.at), let mark = Self.marks[point.value.event]?.mark else { continue }
                marks[column] = marks[column] == " " || marks[column] == mark ? mark : "+"
            }
            rows.append(row("Device", String(marks)))
        }
        let shares = [tracks.daemon] + tracks.apps.map(\.processor)
        let sums = shares.map { averages($0) }
        let total = (0..<columns).map { column in sums.reduce(0) { $0 + $1[column] } }
        rows += sparks(total, "all \(Self.percent(total.max() ?? 0))", .cyan, style)
        let free = held(tracks.available.map { ($0.at, Double($0.value.bytes)) })
        if let least = free.compactMap({ $0 }).min(), let budget = tracks.available.map(\.value.budget).max() {
            rows += sparks(
                free.map { $0 ?? 0 }, "free \(Self.size(least))", .dim, style, of: Double(budget))
        }
        return rows
    }

    private func rows(_ app: Tracks.App, _ style: Style) -> [String] {
        var rows = [row(app.name, states(app, style))]
        var kinds: [String] = []
        for held in app.assertions where !kinds.contains(Self.kind(held.value)) { kinds.append(Self.kind(held.value)) }
        for kind in kinds {
            let held = app.assertions.filter { Self.kind($0.value) == kind }
            rows.append(row(kind, style(.yellow, spans(held)), isSub: true))
        }
        let low = app.priorities.filter { $0.value == .background }
        if !low.isEmpty { rows.append(row("low priority", style(.dim, spans(low)), isSub: true)) }
        let processor = averages(app.processor)
        rows += sparks(processor, "CPU \(Self.percent(processor.max() ?? 0))", .cyan, style)
        let dirty = held(app.memory.map { ($0.at, Double($0.value.dirty)) })
        if let most = dirty.compactMap({ $0 }).max(), most > 0 {
            rows += sparks(dirty.map { $0 ?? 0 }, "dirty \(Self.size(most))", .dim, style)
        }
        if !app.reports.isEmpty {
            var marks = [Character](repeating: " ", count: columns)
            for report in app.reports { column(report.at).map { marks[$0] = "!" } }
            rows.append(row("reports", style(.red, String(marks)), isSub: true))
        }
        return rows
    }

    /// What a service holds an app for has a row of its own: that it records, and when, is to be seen.
    private static func kind(_ held: HeldAssertion) -> String {
        held.kind == "service" && !held.name.isEmpty ? held.name : held.kind
    }

    /// In each column the state in which it was longest.
    private func states(_ app: Tracks.App, _ style: Style) -> String {
        var longest = [(time: Int64, state: LifecycleState)](repeating: (0, .notRunning), count: columns)
        for stretch in app.states {
            eachColumn(stretch.begin, stretch.end) { column, time in
                if time >= longest[column].time { longest[column] = (time, stretch.value) }
            }
        }
        var text = ""
        var run = ""
        var last = LifecycleState.notRunning
        for (_, state) in longest {
            if state != last {
                text += style(Self.look(last).ink, run)
                (run, last) = ("", state)
            }
            run.append(Self.look(state).glyph)
        }
        return text + style(Self.look(last).ink, run)
    }

    private func spans<Value>(_ stretches: [Tracks.Stretch<Value>]) -> String {
        var marks = [Character](repeating: " ", count: columns)
        for stretch in stretches { eachColumn(stretch.begin, stretch.end) { column, _ in marks[column] = "━" } }
        return String(marks)
    }

    /// A bar in each column, as high as it is of the highest or of the whole; no row where there is none.
    private func sparks(
        _ values: [Double], _ name: String, _ ink: Style.Ink, _ style: Style, of whole: Double = 0
    ) -> [String] {
        guard let most = values.max().map({ max($0, whole) }), most > 0, values.contains(where: { $0 > 0 }) else {
            return []
        }
        let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let plot = values.map { value in
            value <= 0 ? " " : bars[min(7, Int(value / most * 8))]
        }
        return [row(name, style(ink, String(plot)), isSub: true)]
    }

    private func legend(_ style: Style) -> String {
        let states: [LifecycleState] = [.active, .inactive, .background, .suspended]
        let used = states.filter { state in
            tracks.apps.contains { $0.states.contains { $0.value == state } }
        }
        var text = used.map { style(Self.look($0).ink, String(Self.look($0).glyph)) + " \($0.name)" }
        let events = Set(tracks.device.map(\.value.event))
        for (event, look) in Self.marks.sorted(by: { $0.value.mark < $1.value.mark }) where events.contains(event) {
            let word = "\(look.mark) \(look.word)"
            if !text.contains(word) { text.append(word) }
        }
        return text.isEmpty ? "" : "\n" + text.joined(separator: "  ") + "\n"
    }

    // MARK: Columns

    private func column(_ moment: WallTime) -> Int? {
        guard moment.nanoseconds >= from, moment <= tracks.end else { return nil }
        return min(columns - 1, Int((moment.nanoseconds - from) / step))
    }

    /// The columns that a span touches, and how long it is in each.
    private func eachColumn(_ begin: WallTime, _ end: WallTime, _ body: (Int, Int64) -> Void) {
        let (begin, end) = (max(from, begin.nanoseconds), end.nanoseconds)
        guard end >= begin else { return }
        for column in (begin - from) / step...(end - from) / step where column < Int64(columns) {
            let left = from + column * step
            let time = min(end, left + step) - max(begin, left)
            if time > 0 || begin == end { body(Int(column), time) }
        }
    }

    private func averages(_ shares: [Tracks.Stretch<Double>]) -> [Double] {
        var sums = [Double](repeating: 0, count: columns)
        for share in shares {
            eachColumn(share.begin, share.end) { sums[$0] += share.value * Double($1) / Double(step) }
        }
        return sums
    }

    /// What was known last in each column; `nil` before anything was.
    private func held(_ points: [(at: WallTime, value: Double)]) -> [Double?] {
        var values = [Double?](repeating: nil, count: columns)
        var known: Double?
        var next = 0
        for column in 0..<columns {
            let end = from + Int64(column + 1) * step
            let changesAtOnce = next < points.count && points[next].at.nanoseconds == end - step
            var most = changesAtOnce ? nil : known
            while next < points.count, points[next].at.nanoseconds < end {
                known = points[next].value
                most = max(most ?? 0, points[next].value)
                next += 1
            }
            if end - step > tracks.end.nanoseconds { break }
            values[column] = most
        }
        return values
    }

    // MARK: Looks

    private static func look(_ state: LifecycleState) -> (glyph: Character, ink: Style.Ink?) {
        switch state {
        case .notRunning: (" ", nil)
        case .inactive: ("▓", .yellow)
        case .active: ("█", .green)
        case .background: ("▒", .cyan)
        case .suspended: ("░", .blue)
        }
    }

    private static let marks: [String: (mark: Character, word: String)] = [
        "openRequested": ("o", "open"), "homePressed": ("h", "Home"), "locked": ("l", "lock"),
        "unlocked": ("u", "unlock"), "switcherOpened": ("s", "switcher"), "switcherClosed": ("s", "switcher"),
        "closeRequested": ("c", "close"), "restartRequested": ("r", "restart"), "interrupted": ("i", "interruption"),
        "interruptionEnded": ("i", "interruption"), "callAccepted": ("i", "interruption"),
        "callEnded": ("i", "interruption"), "slept": ("z", "sleep"), "woke": ("w", "wake"), "booted": ("b", "boot"),
        "shutDown": ("x", "shut down"), "daemonRestarted": ("d", "daemon restarted"),
        "memoryShort": ("m", "memory short"),
        "memoryRecovered": ("n", "memory enough"),
    ]

    private static func percent(_ share: Double) -> String {
        share < 0.0995 ? "\(tenths(share * 100)) %" : "\(Int((share * 100).rounded())) %"
    }

    private static func tenths(_ value: Double) -> String {
        let (whole, tenth) = Int((value * 10).rounded()).quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(whole)" : "\(whole).\(tenth)"
    }

    private static func size(_ bytes: Double) -> String {
        bytes < 10 * 1024 * 1024 * 1024 ? Int64(bytes).mebibytes : "\(Int64(bytes) >> 30) GB"
    }

    private static func length(_ nanoseconds: Int64) -> String {
        let seconds = Double(nanoseconds) / 1e9
        switch seconds {
        case ..<1: return "\(nanoseconds / 1_000_000) ms"
        case ..<10: return "\(tenths(seconds)) s"
        case ..<60: return "\(Int(seconds.rounded())) s"
        default: return "\(Int((seconds / 60).rounded())) min"
        }
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
