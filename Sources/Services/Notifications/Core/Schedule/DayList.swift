/// Days that match in a calendar which only the app knows: the app lists them, because the policy counts in the
/// Gregorian calendar alone.
package struct DayList: Hashable, Sendable, Codable {
    /// The name of the calendar, for the app that reads its request again: `hebrew`.
    package var calendar: String
    /// Whether the month has to be a leap month; `nil`: it does not matter.
    package var isLeapMonth: Bool?
    /// The first day of a run of days, counted from 1970-01-01, and how many there are; then those of the next run.
    package var runs: [Int32]

    package init(calendar: String, isLeapMonth: Bool? = nil, runs: [Int32]) {
        self.calendar = calendar
        self.isLeapMonth = isLeapMonth
        self.runs = runs
    }

    /// Thirty years of a date that comes twice a month.
    package static let mostRuns = 1024
    private static let longestName = 64
    /// Some 27,000 years before and after 1970.
    private static let farthest: Int32 = 10_000_000

    /// What is wrong with it.
    var fault: String? {
        if calendar.isEmpty || calendar.utf8.count > Self.longestName { return "its name is empty or too long" }
        if !runs.count.isMultiple(of: 2) { return "its last day has no length" }
        if runs.count > Self.mostRuns * 2 { return "it has more than \(Self.mostRuns) runs of days" }
        var end = -Self.farthest
        for place in stride(from: 0, to: runs.count, by: 2) {
            let (first, count) = (runs[place], runs[place + 1])
            guard first >= end, first <= Self.farthest, (1...Self.farthest).contains(count) else {
                return "its days are out of order"
            }
            end = first + count
        }
        return nil
    }

    /// The first such day in the range.
    func firstDay(in range: Range<Int>) -> Int? {
        // The first run that ends behind the start.
        var (low, high) = (0, runs.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if Int(runs[middle * 2]) + Int(runs[middle * 2 + 1]) > range.lowerBound {
                high = middle
            } else {
                low = middle + 1
            }
        }
        guard low < runs.count / 2 else { return nil }
        let day = max(Int(runs[low * 2]), range.lowerBound)
        return day < range.upperBound ? day : nil
    }
}
