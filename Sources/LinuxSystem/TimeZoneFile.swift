/// A compiled time zone (RFC 9636): how far from UTC it is, and when that changes.
package struct TimeZoneFile: Hashable, Sendable {
    package struct Transition: Hashable, Sendable {
        /// Seconds since 1970, UTC.
        package let at: Int64
        /// Seconds east of Greenwich from then on.
        package let offset: Int32
    }

    private let first: Int32
    private let table: [Transition]
    private let rule: TimeZoneRule?

    /// A hundred thousand years, in half seconds: what is computed with years stays far from the ends of 64 bits.
    private static let farthest: Int64 = 1_600_000_000_000

    /// `nil` where the bytes are none.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let old = Header(&reader) else { return nil }
        // The first block has 32 bits for a time; what counts is the second.
        var header = old
        if old.version >= 2 {
            guard reader.skip(old.length(timeBytes: 4)), let new = Header(&reader) else { return nil }
            header = new
        }
        let timeBytes = old.version >= 2 ? 8 : 4
        guard let times = reader.numbers(header.times, bytes: timeBytes),
            let kinds = reader.numbers(header.times, bytes: 1),
            let types = reader.types(header.types), let standard = types.first
        else { return nil }
        let rest = header.characters + header.leaps * (timeBytes + 4) + header.standards + header.utcs
        guard reader.skip(rest) else { return nil }
        // They have to be in order. What lies before the Earth or behind the Sun is where some files begin.
        guard zip(times, times.dropFirst()).allSatisfy(<) else { return nil }
        first = standard
        table = zip(times, kinds).compactMap { at, kind in
            types.indices.contains(Int(kind)) && abs(at / 2) < Self.farthest
                ? Transition(at: at, offset: types[Int(kind)]) : nil
        }
        rule = old.version >= 2 ? TimeZoneRule(reader.line()) : nil
    }

    /// A change to daylight saving time and back, in each year behind the last transition.
    package struct Yearly: Hashable, Sendable {
        /// A weekday of a month: weeks from 1 to 5, the last, weekdays from 0, a Sunday; `time`: in seconds from
        /// midnight, by the clock that goes before the change.
        package struct Day: Hashable, Sendable {
            package let month, week, weekday, time: Int32
        }

        /// Seconds east of Greenwich.
        package let standard, daylight: Int32
        package let begins, ends: Day
    }

    /// Seconds east of Greenwich, before the first transition.
    package var initialOffset: Int32 { first }

    /// In their order.
    package var transitions: [Transition] { table }

    /// `nil`: nothing changes behind the last transition.
    package var yearly: Yearly? { rule?.yearly }

    /// How far it is from UTC at a moment, and the next changes of that.
    package func look(at moment: Int64, most: Int) -> (offset: Int32, next: [Transition]) {
        let past = table.last { $0.at <= moment }
        var next = Array(table.lazy.filter { $0.at > moment }.prefix(most))
        var offset = past?.offset ?? first
        guard let rule else { return (offset, next) }
        let known = table.last?.at ?? .min
        if moment >= known { offset = rule.offset(at: moment) }
        let year = TimeZoneRule.year(max(moment, known == .min ? moment : known))
        // A change can be told as so many hours before or after a year that is not its own.
        let ruled = (year - 1...year + Int64(most)).flatMap(rule.transitions)
        next += ruled.filter { $0.at > moment && $0.at > known }.sorted { $0.at < $1.at }
        return (offset, Array(next.prefix(most)))
    }

    private struct Header {
        let version: Int
        let utcs, standards, leaps, times, types, characters: Int

        init?(_ reader: inout Reader) {
            guard reader.text(4) == "TZif", let version = reader.numbers(1, bytes: 1)?.first, reader.skip(15),
                let counts = reader.numbers(6, bytes: 4), counts.allSatisfy({ (0..<65_536).contains($0) })
            else { return nil }
            self.version = version == 0 ? 1 : 2
            let numbers = counts.map { Int($0) }
            (utcs, standards, leaps) = (numbers[0], numbers[1], numbers[2])
            (times, types, characters) = (numbers[3], numbers[4], numbers[5])
        }

        func length(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standards + utcs
        }
    }

    /// Numbers in network order, each read checked.
    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        mutating func skip(_ count: Int) -> Bool {
            guard bytes.count - offset >= count else { return false }
            offset += count
            return true
        }

        mutating func text(_ count: Int) -> String? {
            let start = offset
            return skip(count) ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
        }

        mutating func numbers(_ count: Int, bytes width: Int) -> [Int64]? {
            let start = offset
            guard skip(count * width) else { return nil }
            return (0..<count).map { place in
                let raw = bytes[(start + place * width)..<(start + (place + 1) * width)]
                let value = raw.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return switch width {
                case 8: Int64(bitPattern: value)
                case 4: Int64(Int32(truncatingIfNeeded: value))
                default: Int64(value)
                }
            }
        }

        /// The distances from UTC; what else a type says is of no use here.
        mutating func types(_ count: Int) -> [Int32]? {
            var types: [Int32] = []
            for _ in 0..<count {
                guard let offset = numbers(1, bytes: 4)?.first, skip(2), abs(offset) < 100_000 else { return nil }
                types.append(Int32(offset))
            }
            return types
        }

        func line() -> String {
            let rest = bytes[min(offset, bytes.count)...].drop { $0 == 10 }
            return String(decoding: rest.prefix { $0 != 10 }, as: UTF8.self)
        }
    }
}
