package import Wire

/// When a notification is shown. A request without one is shown at once.
package enum NotificationTriggerInfo: WireRecord {
    /// So many seconds of the device's own clock after the request; changes of the wall clock do not matter.
    case interval(seconds: Double, repeats: Bool)
    /// When the wall clock matches.
    case calendar(NotificationComponents, repeats: Bool)
    case region(NotificationRegion, repeats: Bool)
    /// It came as a push: the service's own, no app asks for it.
    case push

    package init(json: JSONValue) throws(RPCError) {
        switch try json.string("kind") {
        case "interval":
            self = .interval(seconds: try json.number("seconds"), repeats: try json.bool("repeats", default: false))
        case "calendar":
            self = .calendar(
                try NotificationComponents(json: json.object("components")),
                repeats: try json.bool("repeats", default: false))
        case "region":
            self = .region(
                try NotificationRegion(json: json.object("region")), repeats: try json.bool("repeats", default: false))
        case "push": self = .push
        case let other: throw .invalidParameter("kind", "there is no trigger of the kind \(other.prefix(100))")
        }
    }

    package var json: JSONValue {
        switch self {
        case .interval(let seconds, let repeats):
            ["kind": "interval", "seconds": .double(seconds), "repeats": .bool(repeats)]
        case .calendar(let components, let repeats):
            ["kind": "calendar", "components": components.json, "repeats": .bool(repeats)]
        case .region(let region, let repeats):
            ["kind": "region", "region": region.json, "repeats": .bool(repeats)]
        case .push: ["kind": "push"]
        }
    }
}

/// What of a date has to match; what is `nil` does not matter. Gregorian, if no other calendar is named.
package struct NotificationComponents: WireRecord {
    package var era: Int64?
    package var year: Int64?
    package var quarter: Int64?
    package var month: Int64?
    package var day: Int64?
    package var hour: Int64?
    package var minute: Int64?
    package var second: Int64?
    /// From 1, a Sunday, to 7.
    package var weekday: Int64?
    /// The how many-eth such weekday of its month.
    package var weekdayOrdinal: Int64?
    package var weekOfMonth: Int64?
    package var weekOfYear: Int64?
    package var yearForWeekOfYear: Int64?
    /// Of the app's calendar, for weeks; `nil` is 1, Sunday.
    package var firstWeekday: Int64?
    /// Of the app's calendar: days of the year that its first week has at least; `nil` is 1.
    package var minimumDaysInFirstWeek: Int64?
    /// An identifier, as `Europe/Berlin`. `nil` follows the device.
    package var timeZone: String?
    /// Another calendar than the Gregorian one.
    package var calendar: NotificationCalendar?

    package init(
        era: Int64? = nil, year: Int64? = nil, quarter: Int64? = nil, month: Int64? = nil, day: Int64? = nil,
        hour: Int64? = nil, minute: Int64? = nil, second: Int64? = nil, weekday: Int64? = nil,
        weekdayOrdinal: Int64? = nil, weekOfMonth: Int64? = nil, weekOfYear: Int64? = nil,
        yearForWeekOfYear: Int64? = nil, firstWeekday: Int64? = nil, minimumDaysInFirstWeek: Int64? = nil,
        timeZone: String? = nil, calendar: NotificationCalendar? = nil
    ) {
        self.era = era
        self.year = year
        self.quarter = quarter
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.weekday = weekday
        self.weekdayOrdinal = weekdayOrdinal
        self.weekOfMonth = weekOfMonth
        self.weekOfYear = weekOfYear
        self.yearForWeekOfYear = yearForWeekOfYear
        self.firstWeekday = firstWeekday
        self.minimumDaysInFirstWeek = minimumDaysInFirstWeek
        self.timeZone = timeZone
        self.calendar = calendar
    }

    private typealias Number = any WritableKeyPath<Self, Int64?> & Sendable

    private static let units: KeyValuePairs<String, Number> = [
        "era": \.era, "year": \.year, "quarter": \.quarter, "month": \.month, "day": \.day, "hour": \.hour,
        "minute": \.minute, "second": \.second, "weekday": \.weekday, "weekdayOrdinal": \.weekdayOrdinal,
        "weekOfMonth": \.weekOfMonth, "weekOfYear": \.weekOfYear, "yearForWeekOfYear": \.yearForWeekOfYear,
    ]

    private static let weeks: KeyValuePairs<String, Number> = [
        "firstWeekday": \.firstWeekday, "minimumDaysInFirstWeek": \.minimumDaysInFirstWeek,
    ]

    /// Nothing has to match.
    package var isEmpty: Bool { Self.units.allSatisfy { self[keyPath: $0.value] == nil } }

    package init(json: JSONValue) throws(RPCError) {
        self.init(
            timeZone: try json.optionalString("timeZone"), calendar: try json.optionalRecord("calendar"))
        for (name, path) in Array(Self.units) + Array(Self.weeks) {
            self[keyPath: path] = try json.optionalInteger(name)
        }
    }

    /// Absent keys do not matter.
    package var json: JSONValue {
        var object = JSONObject()
        for (name, path) in Array(Self.units) + Array(Self.weeks) {
            object[name] = self[keyPath: path].map(JSONValue.int)
        }
        object["timeZone"] = timeZone.map(JSONValue.string)
        object["calendar"] = calendar?.json
        return .object(object)
    }
}

/// A calendar that only the app can count in: it says on which days the components match.
package struct NotificationCalendar: WireRecord {
    /// `hebrew`.
    package var identifier: String
    /// Whether the month has to be a leap month; `nil`: it does not matter.
    package var isLeapMonth: Bool?
    /// The first day of a run of days, counted from 1970-01-01, and how many there are; then those of the next run.
    /// Needed to ask for a notification, and `nil` in one that is listed.
    package var days: [Int64]?

    package init(identifier: String, isLeapMonth: Bool? = nil, days: [Int64]? = nil) {
        self.identifier = identifier
        self.isLeapMonth = isLeapMonth
        self.days = days
    }

    package init(json: JSONValue) throws(RPCError) {
        self.init(
            identifier: try json.string("identifier"), isLeapMonth: try json.optionalBool("isLeapMonth"))
        guard json["days"] != nil else { return }
        days = try json.array("days").map { element throws(RPCError) in
            guard case .int(let day) = element else { throw .invalidParameter("days", "days are whole numbers") }
            return day
        }
    }

    package var json: JSONValue {
        var object: JSONObject = ["identifier": .string(identifier)]
        object["isLeapMonth"] = isLeapMonth.map(JSONValue.bool)
        object["days"] = days.map { .array($0.map(JSONValue.int)) }
        return .object(object)
    }
}

/// As the service that knows where the device is has it.
package typealias NotificationRegion = PlaceWatch.Place
