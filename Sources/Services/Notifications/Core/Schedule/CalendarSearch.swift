package import Model

extension CalendarComponents {
    /// The next moment that matches, strictly behind another one; `nil`: there is none within sixty years, in which
    /// 29 February has come on each weekday.
    ///
    /// - Parameter machineZone: for components that name none.
    package func next(after time: WallTime, in machineZone: ZoneRules) -> WallTime? {
        let second = floorDivide(time.nanoseconds, 1_000_000_000).quotient
        let next = CalendarPattern(self).next(after: Int(second), in: zone ?? machineZone)
        return next.flatMap { second in
            let (nanoseconds, isBeyond) = Int64(second).multipliedReportingOverflow(by: 1_000_000_000)
            return isBeyond ? nil : WallTime(nanoseconds: nanoseconds)
        }
    }

    /// The last moment that matches and is not behind `latest`, but is behind `earliest`.
    package func last(after earliest: WallTime, until latest: WallTime, in machineZone: ZoneRules) -> WallTime? {
        // A pattern comes at most once a minute: what a distance finds and the one before it did not find is rare.
        var distance = Span.seconds(60)
        while true {
            let start = max(earliest, latest.before(distance))
            var found: WallTime?
            while let next = next(after: found ?? start, in: machineZone), next <= latest { found = next }
            if found != nil || start == earliest { return found }
            distance = distance * 30
        }
    }
}

extension CalendarPattern {
    private static let horizon = 60 * 366 * 86_400

    /// Goes through the zone's segments, in each of which its clocks only go forward.
    fileprivate func next(after second: Int, in zone: ZoneRules) -> Int? {
        let end = second + Self.horizon
        var from = second + 1
        while from < end {
            let segment = zone.segment(at: from)
            if from == segment.start, hasDefiniteTime, segment.localEndBefore < segment.localStart,
                firstMoment(in: segment.localEndBefore..<segment.localStart) != nil
            {
                // The clocks skip it: it is when they go on.
                return from
            }
            var local = from + segment.offset
            // What the clocks show for the second time has been, but for patterns of every hour.
            if hour != nil { local = max(local, segment.localEndBefore) }
            let last = min(segment.end, end) + segment.offset
            if local < last, let moment = firstMoment(in: local..<last) { return moment - segment.offset }
            from = segment.end
        }
        return nil
    }
}

extension WallTime {
    fileprivate func before(_ distance: Span) -> WallTime { self + (Span.zero - distance) }
}
