internal import Foundation
internal import NotificationsWire

/// On which days components of a calendar match that the service cannot count in: every one but the Gregorian.
struct CalendarDays {
    private let components: DateComponents
    private var calendar: Calendar

    /// The components have a day's units (`record(_:)`).
    init(_ components: DateComponents) {
        self.components = components
        calendar = components.calendar ?? .current
        calendar.timeZone = .gmt
    }

    // MARK: Which calendar

    /// `nil` where the Gregorian calendar says the same.
    static func record(_ components: DateComponents) -> NotificationCalendar? {
        let calendar = components.calendar ?? .current
        switch calendar.identifier {
        case .gregorian, .iso8601: return nil
        default: break
        }
        // Clocks and weekdays are the same in all of them.
        let units = [
            components.era, components.year, components.quarter, components.month, components.day,
            components.weekdayOrdinal, components.weekOfMonth, components.weekOfYear, components.yearForWeekOfYear,
        ]
        guard units.contains(where: { $0 != nil }) || components.isLeapMonth == true else { return nil }
        return NotificationCalendar(identifier: name(of: calendar.identifier), isLeapMonth: components.isLeapMonth)
    }

    private static let names: KeyValuePairs<Calendar.Identifier, String> = [
        .buddhist: "buddhist", .chinese: "chinese", .coptic: "coptic", .ethiopicAmeteAlem: "ethiopic-amete-alem",
        .ethiopicAmeteMihret: "ethiopic", .hebrew: "hebrew", .indian: "indian", .islamic: "islamic",
        .islamicCivil: "islamic-civil", .islamicTabular: "islamic-tbla", .islamicUmmAlQura: "islamic-umalqura",
        .japanese: "japanese", .persian: "persian", .republicOfChina: "roc", .bangla: "bangla", .dangi: "dangi",
        .gujarati: "gujarati", .kannada: "kannada", .malayalam: "malayalam", .marathi: "marathi", .odia: "odia",
        .tamil: "tamil", .telugu: "telugu", .vietnamese: "vietnamese", .vikram: "vikram",
    ]

    private static func name(of identifier: Calendar.Identifier) -> String {
        // One that Foundation has learned since is listed all the same; only the app that reads it again lacks it.
        names.first { $0.key == identifier }?.value ?? "\(identifier)"
    }

    /// `nil`: there is none of that name.
    static func calendar(named name: String) -> Calendar? {
        names.first { $0.value == name }.map { Calendar(identifier: $0.key) }
    }

    // MARK: Which days

    /// Days of any place on Earth that are now, and those that have just passed.
    private static let daysBefore = 2
    private static let daysAhead = 60 * 366
    /// A single notification comes on the first day that has its time. A change of the clocks may skip a time.
    private static let singleDays = 16
    private static let repeatedDays = 30 * 366
    /// As the service takes them.
    private static let mostRuns = 1024

    /// The next few, counted from 1970-01-01.
    func next(after date: Date) -> [Int] { Array(matching(after: date).prefix(Self.singleDays)) }

    /// The first day of each run of days, and how many there are.
    ///
    /// - Parameter repeats: thirty years of them; otherwise the next few.
    func runs(after date: Date, repeats: Bool) -> [Int64] {
        var runs: [Int64] = []
        var (end, last) = (Int?.none, Int.max)
        for (place, day) in matching(after: date).enumerated() {
            if place == 0, repeats { last = day + Self.repeatedDays }
            guard day <= last, repeats || place < Self.singleDays else { break }
            if day == end {
                runs[runs.count - 1] += 1
            } else {
                guard runs.count < Self.mostRuns * 2 else { break }
                runs += [Int64(day), 1]
            }
            end = day + 1
        }
        return runs
    }

    private func matching(after date: Date) -> some Sequence<Int> {
        let first = Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) - Self.daysBefore
        return (first..<first + Self.daysAhead).lazy.filter(matches)
    }

    private func matches(_ day: Int) -> Bool {
        let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
        let own = calendar.dateComponents(Self.units, from: date)
        func agrees<Value: Equatable>(_ unit: KeyPath<DateComponents, Value?>) -> Bool {
            components[keyPath: unit] == nil || components[keyPath: unit] == own[keyPath: unit]
        }
        let agree =
            agrees(\.era) && agrees(\.year) && agrees(\.quarter) && agrees(\.month) && agrees(\.day)
            && agrees(\.weekday) && agrees(\.weekOfMonth) && agrees(\.weekOfYear) && agrees(\.yearForWeekOfYear)
            && agrees(\.isLeapMonth)
        return agree && matchesOrdinal(own, date) && beginsUnit(own)
    }

    private static let units: Set<Calendar.Component> = [
        .era, .year, .quarter, .month, .day, .weekday, .weekdayOrdinal, .weekOfMonth, .weekOfYear, .yearForWeekOfYear,
    ]

    /// A negative one counts from the end of the month.
    private func matchesOrdinal(_ own: DateComponents, _ date: Date) -> Bool {
        guard let ordinal = components.weekdayOrdinal else { return true }
        guard ordinal < 0 else { return ordinal == own.weekdayOrdinal }
        guard let day = own.day, let days = calendar.range(of: .day, in: .month, for: date)?.count else { return false }
        return ordinal == -((days - day) / 7 + 1)
    }

    /// Where neither a time nor a day is given, the first day of what is given is meant.
    private func beginsUnit(_ own: DateComponents) -> Bool {
        let smaller = [components.hour, components.minute, components.second, components.day, components.weekday]
        guard smaller.allSatisfy({ $0 == nil }) else { return true }
        let beginsWeek = own.weekday == calendar.firstWeekday
        if components.weekOfMonth != nil { return beginsWeek || own.day == 1 }
        if components.weekOfYear != nil { return beginsWeek }
        if components.yearForWeekOfYear != nil { return beginsWeek && own.weekOfYear == 1 }
        return own.day == 1 && (components.month != nil || components.quarter != nil || own.month == 1)
    }

    static func gregorian(_ day: Int) -> DateComponents {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
    }
}
