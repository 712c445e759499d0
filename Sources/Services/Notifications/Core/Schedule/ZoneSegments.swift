/// A time in which the clocks of a zone show the same offset.
struct ZoneSegment: Hashable, Sendable {
    /// Seconds since 1970.
    var start: Int
    var end: Int
    var offset: Int
    /// What went before it.
    var offsetBefore: Int

    /// What the clocks show when it begins, and what they would show without the change.
    var localStart: Int { start + offset }
    var localEndBefore: Int { start + offsetBefore }
}

extension ZoneRules {
    // Far beyond what a wall time can say, and far within what sums can hold.
    private static let (earliest, latest) = (-1 << 50, 1 << 50)

    func segment(at second: Int) -> ZoneSegment {
        let next = transitions.partitioningIndex { $0.at > Int64(second) }
        if next < transitions.count || rule == nil { return listed(next) }
        return ruled(second)
    }

    /// The so manieth segment of those that transitions delimit.
    private func listed(_ next: Int) -> ZoneSegment {
        let offset = next > 0 ? transitions[next - 1].offset : initialOffset
        let before = next > 1 ? transitions[next - 2].offset : initialOffset
        return ZoneSegment(
            start: next > 0 ? Int(transitions[next - 1].at) : Self.earliest,
            end: next < transitions.count ? Int(transitions[next].at) : Self.latest, offset: Int(offset),
            offsetBefore: Int(before))
    }

    /// Behind the last transition.
    private func ruled(_ second: Int) -> ZoneSegment {
        var segment = listed(transitions.count)
        guard let rule else { return segment }
        let year = CivilDay(number: floorDivide(second, 86_400).quotient).year
        for year in year - 1...year + 1 {
            for change in rule.changes(in: year) where change.at > segment.start {
                if change.at > second {
                    segment.end = min(segment.end, change.at)
                } else if change.offset != segment.offset || segment.start == Self.earliest {
                    segment = ZoneSegment(
                        start: change.at, end: Self.latest, offset: change.offset, offsetBefore: segment.offset)
                }
            }
        }
        // What goes before the first change of all years that were looked at is what the rule says before it.
        return segment
    }

    /// What clocks show more than UTC.
    package func offset(at second: Int) -> Int { segment(at: second).offset }
    /// When the offset of that second ends.
    package func end(at second: Int) -> Int { segment(at: second).end }
}

extension ZoneRules.Rule {
    /// In the order in which they come.
    fileprivate func changes(in year: Int) -> [(at: Int, offset: Int)] {
        let first = (at: begins.second(in: year) - Int(standard), offset: Int(daylight))
        let second = (at: ends.second(in: year) - Int(daylight), offset: Int(standard))
        return first.at <= second.at ? [first, second] : [second, first]
    }
}

extension ZoneRules.Change {
    /// By the clock that goes before the change.
    fileprivate func second(in year: Int) -> Int { number(in: year) * 86_400 + Int(time) }

    private func number(in year: Int) -> Int {
        switch day {
        case .julian(let day):
            let leap = CivilDay.isLeap(year) && day >= 60 ? 1 : 0
            return CivilDay.number(year, 1, 1) + Int(day) - 1 + leap
        case .ordinal(let day): return CivilDay.number(year, 1, 1) + Int(day)
        case .monthWeekday(let month, let week, let weekday):
            let first = CivilDay.number(year, Int(month), 1)
            let distance = floorDivide(Int(weekday) + 1 - CivilDay.weekday(ofNumber: first), 7).remainder
            let days = CivilDay.days(in: Int(month), of: year)
            let place = distance + (Int(week) - 1) * 7
            return first + (place < days ? place : place - 7)
        }
    }
}

extension Array {
    /// The first place from which on the condition holds; it holds for all behind one for which it holds.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
