internal import Model

/// What somebody did with a device, event by event, from a file of `time,event,app,duration_s`.
package struct UsageTrace: Hashable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case open, unlock, wake, sleep, notification, boot, shutdown

        package var name: String { "\(self)" }
        var hasApp: Bool { self == .open || self == .notification }
    }

    package struct Entry: Hashable, Sendable {
        /// Seconds of wall-clock time since 1970, wherever that clock was.
        package var time: Int64
        package var kind: Kind
        /// Its place in `apps`.
        package var app: Int?
        /// In seconds.
        package var duration: Int64
        package var line: Int
    }

    /// Names, in the order in which they first come.
    package private(set) var apps: [String] = []
    package private(set) var entries: [Entry] = []

    package static let header = "time,event,app,duration_s"

    package init(csv: [UInt8]) throws(CSVError) {
        var reader = try CSVReader(csv, header: Self.header)
        var places: [ArraySlice<UInt8>: Int] = [:]
        while try reader.nextRow() {
            try reader.expectFields(4)
            let kind = try Self.kind(reader)
            let time = try Self.time(reader)
            if let last = entries.last, time < last.time {
                throw reader.fail(0, "a time that is not before that of line \(last.line)")
            }
            let duration = try reader.number(3, 0...100_000_000, "a duration in whole seconds")
            var app: Int?
            if kind.hasApp {
                let name = reader.field(2)
                if let known = places[name] {
                    app = known
                } else {
                    app = apps.count
                    places[name] = app
                    apps.append(try Self.appName(reader, field: 2))
                }
            } else if !reader.isEmpty(2) {
                throw reader.fail(2, "no app, as \(kind.name) has none")
            }
            entries.append(Entry(time: time, kind: kind, app: app, duration: duration, line: reader.line))
        }
    }

    static func appName(_ reader: CSVReader, field: Int) throws(CSVError) -> String {
        guard let name = String(validating: reader.field(field), as: UTF8.self), AppIdentifier(name) != nil else {
            throw reader.fail(field, "an app's name (letters, digits, dots, hyphens and underscores)")
        }
        return name
    }

    private static func kind(_ reader: CSVReader) throws(CSVError) -> Kind {
        let name = reader.field(1)
        for kind in Kind.allCases where name.elementsEqual(kind.name.utf8) { return kind }
        throw reader.fail(1, "one of \(Kind.allCases.map(\.name).joined(separator: ", "))")
    }

    // MARK: Times

    /// `2019-11-09T17:30:12`.
    private static func time(_ reader: CSVReader) throws(CSVError) -> Int64 {
        let text = reader.field(0)
        guard let time = seconds(text) else { throw reader.fail(0, "a time such as 2019-11-09T17:30:12") }
        return time
    }

    static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let pattern = "dddd-dd-ddTdd:dd:dd".utf8
        guard text.count == pattern.count else { return nil }
        var numbers: [Int64] = [0]
        for (byte, sign) in zip(text, pattern) {
            if sign == UInt8(ascii: "d") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
            } else {
                guard byte == sign else { return nil }
                numbers.append(0)
            }
        }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1, day <= length(year, month),
            numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
        else { return nil }
        return ((days(year, month, day) * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
    }

    private static func length(_ year: Int64, _ month: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return lengths[Int(month) - 1]
    }

    /// Days since 1970-01-01 in the Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let before = year - 1
        var days = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
        for earlier in 1..<month { days += length(year, earlier) }
        return days + day - 1
    }
}
