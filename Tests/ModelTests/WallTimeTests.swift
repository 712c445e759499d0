import Model
import Testing

@Suite("Wall time")
struct WallTimeTests {
    @Test(
        "It prints as UTC with six digits",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1_000_000_000_000_000_000, "2001-09-09T01:46:40.000000Z"),
            (951_782_399_999_999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000Z"),
            (4_107_456_000_000_000_000, "2100-02-28T00:00:00.000000Z"),
            (-1_000, "1969-12-31T23:59:59.999999Z"),
            (-62_135_596_800 * 1_000_000, "1968-01-12T20:06:43.200000Z"),
        ] as [(Int64, String)])
    func iso8601(_ nanoseconds: Int64, _ text: String) {
        #expect(WallTime(nanoseconds: nanoseconds).iso8601 == text)
    }

    @Test("Every moment that there is can be printed, the first and the last too")
    func extremes() {
        #expect(WallTime(nanoseconds: .max).iso8601 == "2262-04-11T23:47:16.854775Z")
        #expect(WallTime(nanoseconds: .min).iso8601 == "1677-09-21T00:12:43.145224Z")
        #expect(WallTime(nanoseconds: -1_000_000_001).iso8601 == "1969-12-31T23:59:58.999999Z")
    }

    @Test(
        "Spans print seconds with two digits, rounded",
        arguments: [
            (20_000, "20.00"), (19_996, "20.00"), (19_974, "19.97"), (5, "0.01"), (4, "0.00"), (-2_735, "-2.74"),
            (-4, "0.00"),
        ])
    func twoDigits(milliseconds: Int64, expected: String) {
        #expect(Span.milliseconds(milliseconds).twoDigits == expected)
    }

    @Test("Every day that 64 bits of nanoseconds can name follows the one before")
    func days() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var (year, month, day) = (1679, 10, 13)
        for number in -106_000...106_000 {
            let text = WallTime(nanoseconds: Int64(number) * 86_400_000_000_000).iso8601
            let pad = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
            // One expectation a day would cost minutes.
            if text.prefix(10) != "\(year)-\(pad(month))-\(pad(day))" {
                Issue.record("day \(number) is \(text), not \(year)-\(month)-\(day)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length = month == 2 && isLeap ? 29 : lengths[month - 1]
            day += 1
            if day > length { (day, month) = (1, month + 1) }
            if month > 12 { (month, year) = (1, year + 1) }
        }
    }
}

@Suite("Names and modes")
struct NameTests {
    @Test(
        "An identifier that could be a path, an option or a control sequence is none",
        arguments: [
            "", ".", "..", ".hidden", "-rf", "a/b", "a b", "a\n", "ä", String(repeating: "a", count: 128),
        ])
    func refused(_ text: String) {
        #expect(AppIdentifier(text) == nil)
    }

    @Test(
        "An identifier is letters, digits, dots, hyphens and underscores",
        arguments: [
            "a", "org.example.App-2", "0", "a_b", "_", String(repeating: "a", count: 127),
        ])
    func accepted(_ text: String) {
        #expect(AppIdentifier(text)?.rawValue == text)
    }

    @Test("Every profile has a name of its own and limits above zero", arguments: DeviceProfile.all)
    func profiles(_ profile: DeviceProfile) {
        #expect(DeviceProfile.named(profile.name) == profile)
        for callback in CallbackKind.allCases { #expect(profile.limit(for: callback) > .zero) }
        #expect(profile.launchLimit > .zero)
    }
}
