package import Model

/// Which reports are written down: what a gateway or an app can bring about at will does not fill the disk.
package struct ReportLog: Sendable {
    package static let most = 60
    package static let interval = Span.seconds(60)

    private var began: Instant?
    private var count = 0
    private var omitted = 0

    package init() {}

    /// The lines to write for one more.
    package mutating func lines(_ line: String, at now: Instant) -> [String] {
        var lines: [String] = []
        if began.map({ now - $0 >= Self.interval }) ?? true {
            if omitted > 0 { lines.append("\(omitted) more such lines are left out") }
            (began, count, omitted) = (now, 0, 0)
        }
        guard count < Self.most else {
            omitted += 1
            return lines
        }
        count += 1
        return lines + [line]
    }
}
