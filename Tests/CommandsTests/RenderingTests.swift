import Commands
import Model
import Testing
import Wire

@Suite("What reaches the terminal")
struct RenderingTests {
    @Test("Control characters, and characters that reorder text, are shown instead of sent")
    func neutralised() {
        #expect(Visible.line("a\u{1B}[2Jb\r\n\u{7F}") == "a^[[2Jb^M^J^?")
        #expect(Visible.line("x\u{9B}31m") == "x\\u{9B}31m")
        #expect(Visible.line("gpj.\u{202E}exe") == "gpj.\\u{202E}exe")
        #expect(Visible.line("Größe 日本 👩‍👧") == "Größe 日本 👩‍👧")
    }

    @Test("In an app's output lines stay lines")
    func linesStay() {
        #expect(Visible.lines("a\tb\nc\u{7}") == "a\tb\nc^G")
    }

    @Test("JSON on a terminal cannot drive it, and is the same JSON")
    func jsonIsHarmless() throws {
        let value: JSONValue = ["name": "a\u{1B}\u{9B}\u{202E}\u{E0041}é"]
        let text = JSONText.line(value)
        #expect(text == #"{"name":"a\u001b\u009b\u202e\udb40\udc41é"}"#)
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test("Indented JSON is the same JSON")
    func pretty() throws {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": [], "d": [:], "e": "\n"]
        let text = JSONText.pretty(value)
        #expect(
            text == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": [],
                  "d": {},
                  "e": "\\n"
                }
                """)
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test("Columns line up, also beside wide characters, and no line ends in spaces")
    func table() {
        var table = Table([("NAME", .left), ("PID", .right), ("WHY", .left)])
        table.add([Table.Cell("日本"), Table.Cell("7"), Table.Cell("")])
        table.add([Table.Cell("evil\u{1B}"), Table.Cell("1234"), Table.Cell("x")])
        #expect(
            table.rendered(Style(isColoured: false)) == """
                NAME     PID  WHY
                日本       7
                evil^[  1234  x

                """)
    }

    @Test("A colour never shifts a column")
    func colours() {
        var table = Table([("A", .left), ("B", .left)])
        table.add([Table.Cell("xy", .red), Table.Cell("z")])
        #expect(
            table.rendered(Style(isColoured: true))
                == "\u{1B}[2mA\u{1B}[0m   \u{1B}[2mB\u{1B}[0m\n\u{1B}[31mxy\u{1B}[0m  z\n")
    }

    private static var clock: Moment.Clock {
        Moment.Clock(
            now: { WallTime(nanoseconds: 1_795_255_389_500_000_000) }, offset: { _ in 7200 })
    }

    @Test(
        "Times are read, aged and shown in local time",
        arguments: [
            ("2026-11-21T10:03:09.123456Z", "now", "12:03:09"), ("2026-11-21T10:03:04Z", "5 s ago", "12:03:04"),
            ("2026-11-21T10:00:09.500000Z", "3 min ago", "12:00:09"),
            ("2026-11-21T07:03:09.5Z", "3 h ago", "09:03:09"),
            ("2026-11-19T10:03:09.500000Z", "2 d ago", "2026-11-19 12:03:09"),
            ("2026-11-20T23:30:00.000000Z", "10 h ago", "01:30:00"),
            ("2024-02-29T23:59:59.000000Z", "995 d ago", "2024-03-01 01:59:59"),
            ("2026-11-21T10:03:15Z", "in 5 s", "12:03:15"), ("2026-11-21T10:13:10.500000Z", "in 10 min", "12:13:10"),
            ("2026-11-21T13:03:10.5Z", "in 3 h", "15:03:10"),
            ("2026-11-24T10:03:10.5Z", "in 3 d", "2026-11-24 12:03:10"),
        ])
    func times(text: String, age: String, local: String) throws {
        let moment = try #require(Moment(text))
        #expect(moment.age(Self.clock) == age)
        #expect(moment.past(Self.clock) == (age.hasPrefix("in ") ? "earlier" : age))
        #expect(moment.local(Self.clock) == local)
    }

    @Test(
        "What is no time is not taken for one",
        arguments: [
            "", "yesterday", "2026-11-21", "2026-11-21T10:03:04", "2026-11-21T10:03:04+02:00", "2026-11-21T1O:03:04Z",
        ])
    func noTimes(text: String) {
        #expect(Moment(text) == nil)
    }

    @Test("Reading a time is the inverse of writing it")
    func roundTrip() throws {
        for time in stride(from: Int64(0), to: 4_000_000_000, by: 12_345_678) {
            let wall = WallTime(nanoseconds: time * 1_000_000_000 + 123_456_000)
            #expect(try #require(Moment(wall.iso8601)).time == wall)
        }
    }
}
