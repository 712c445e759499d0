/// A time zone as a value: what the host reads from TZif.
package struct ZoneRules: Hashable, Sendable, Codable {
    /// From that second of 1970's count on, clocks show so many seconds more than UTC.
    package struct Transition: Hashable, Sendable, Codable {
        package var at: Int64
        package var offset: Int32

        package init(at: Int64, offset: Int32) {
            self.at = at
            self.offset = offset
        }
    }

    /// When a change comes in each year.
    package struct Change: Hashable, Sendable, Codable {
        package enum Day: Hashable, Sendable, Codable {
            /// `Mm.w.d` of POSIX: week 1…5, 5 is the last; weekday 0 is Sunday.
            case monthWeekday(month: Int32, week: Int32, weekday: Int32)
            /// `Jn`: 1…365, without 29 February.
            case julian(Int32)
            /// `n`: 0…365, with it.
            case ordinal(Int32)
        }

        package var day: Day
        /// Seconds from midnight, by the clock that goes before the change; −167…167 hours.
        package var time: Int32

        package init(_ day: Day, time: Int32) {
            self.day = day
            self.time = time
        }
    }

    /// What goes on for ever behind the last transition.
    package struct Rule: Hashable, Sendable, Codable {
        package var standard: Int32
        package var daylight: Int32
        /// To daylight saving time, and from it.
        package var begins: Change
        package var ends: Change

        package init(standard: Int32, daylight: Int32, begins: Change, ends: Change) {
            self.standard = standard
            self.daylight = daylight
            self.begins = begins
            self.ends = ends
        }
    }

    /// For people, and so that a machine's change of zone is noticed: `Europe/Berlin`.
    package var identifier: String
    /// Before the first transition.
    package var initialOffset: Int32
    /// In ascending order.
    package var transitions: [Transition]
    /// `nil`: the offset behind the last transition stays.
    package var rule: Rule?

    package init(identifier: String, initialOffset: Int32, transitions: [Transition] = [], rule: Rule? = nil) {
        self.identifier = identifier
        self.initialOffset = initialOffset
        self.transitions = transitions
        self.rule = rule
    }

    package static let utc = ZoneRules(identifier: "UTC", initialOffset: 0)
}
