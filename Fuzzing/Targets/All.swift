extension FuzzTarget {
    /// In the order in which they run.
    static let all: [FuzzTarget] = [
        json, framing, records, messages, plist, desktop, scenario, png, svg, journal, checkpoint, timeline, proc,
        zone, http, answers, cookies, url, mailbox, track, gpsd, fixes,
    ]
}

/// The parts of an input that holds several, cut at a byte that none of them may hold.
func parts(_ bytes: [UInt8], at separator: UInt8, most: Int) -> [[UInt8]] {
    bytes.split(separator: separator, maxSplits: most - 1, omittingEmptySubsequences: false).map { Array($0) }
}
