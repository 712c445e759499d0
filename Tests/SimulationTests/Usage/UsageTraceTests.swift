import Model
import Simulation
import Testing

@Suite("Files of usage") struct UsageTraceTests {
    private func trace(_ rows: String) throws -> UsageTrace {
        try UsageTrace(csv: Array("time,event,app,duration_s\n\(rows)".utf8))
    }

    @Test("Every kind of event is read, with its time, app and duration")
    func kinds() throws {
        let trace = try trace(
            """
            2019-11-09T17:30:12,unlock,,1
            2019-11-09T17:30:13,open,app08,2
            2019-11-09T17:30:15,sleep,,7753
            2019-11-09T19:39:28,notification,svc01,0
            2019-11-09T19:39:28,wake,,3
            2019-11-09T19:39:40,open,app08,9
            2019-12-31T23:59:59,shutdown,,1
            2020-02-29T00:00:00,boot,,5
            """)
        #expect(trace.apps == ["app08", "svc01"])
        #expect(trace.entries.map(\.kind) == [.unlock, .open, .sleep, .notification, .wake, .open, .shutdown, .boot])
        #expect(trace.entries.map(\.app) == [nil, 0, nil, 1, nil, 0, nil, nil])
        #expect(trace.entries.map(\.duration) == [1, 2, 7753, 0, 3, 9, 1, 5])
        #expect(trace.entries.map(\.line) == Array(2...9))
        // As `date -u` counts.
        #expect(trace.entries[0].time == 1_573_320_612)
        #expect(trace.entries[6].time == 1_577_836_799)
        #expect(trace.entries[7].time == 1_582_934_400)
    }

    @Test("A file may end its lines as Windows does, and lack the end of the last one")
    func lineEnds() throws {
        let bytes = Array("time,event,app,duration_s\r\n2019-11-09T17:30:12,unlock,,1\r\n".utf8)
        #expect(try UsageTrace(csv: bytes).entries.count == 1)
        #expect(try UsageTrace(csv: Array("time,event,app,duration_s".utf8)).entries.isEmpty)
    }

    static let mistakes: [(rows: String, message: String)] = [
        ("2019-11-09T17:30:12,unlock,1", "line 2: expected 4 fields, found 3: '2019-11-09T17:30:12,unlock,1'"),
        ("\n", "line 2: expected 4 fields, found 1: nothing"),
        (
            "2019-11-09 17:30:12,unlock,,1",
            "line 2: expected a time such as 2019-11-09T17:30:12, found '2019-11-09 17:30:12'"
        ),
        (
            "2019-02-29T17:30:12,unlock,,1",
            "line 2: expected a time such as 2019-11-09T17:30:12, found '2019-02-29T17:30:12'"
        ),
        (
            "2019-11-09T24:30:12,unlock,,1",
            "line 2: expected a time such as 2019-11-09T17:30:12, found '2019-11-09T24:30:12'"
        ),
        (
            "2019-11-09T17:30:12,close,,1",
            "line 2: expected one of open, unlock, wake, sleep, notification, boot, shutdown, found 'close'"
        ),
        (
            "2019-11-09T17:30:12,open,,1",
            "line 2: expected an app's name (letters, digits, dots, hyphens and underscores), found nothing"
        ),
        (
            "2019-11-09T17:30:12,open,a\u{1b}b,1",
            "line 2: expected an app's name (letters, digits, dots, hyphens and underscores), found 'a?b'"
        ),
        ("2019-11-09T17:30:12,sleep,app01,1", "line 2: expected no app, as sleep has none, found 'app01'"),
        ("2019-11-09T17:30:12,sleep,,-1", "line 2: expected a duration in whole seconds, found '-1'"),
        ("2019-11-09T17:30:12,sleep,,1.5", "line 2: expected a duration in whole seconds, found '1.5'"),
        ("2019-11-09T17:30:12,sleep,,", "line 2: expected a duration in whole seconds, found nothing"),
        (
            "2019-11-09T17:30:12,sleep,,9999999999999999999999",
            "line 2: expected a duration in whole seconds, found '9999999999999999999999'"
        ),
        (
            "2019-11-09T17:30:12,sleep,,1\n2019-11-09T17:30:11,sleep,,1",
            "line 3: expected a time that is not before that of line 2, found '2019-11-09T17:30:11'"
        ),
        (
            "2019-11-09T17:30:12,open,\"app01\",1",
            "line 2: expected a field without quotation marks, found \""
        ),
    ]

    @Test("A mistake is reported with its line, what was expected, and what stands there", arguments: mistakes.indices)
    func mistake(_ number: Int) {
        let (rows, message) = Self.mistakes[number]
        #expect { try trace(rows) } throws: { "\($0)" == message }
    }

    @Test("Another header, or none, is no trace")
    func header() {
        let wrong = "line 1: expected the header time,event,app,duration_s, found "
        #expect { try UsageTrace(csv: Array("time,event\n".utf8)) } throws: { "\($0)" == wrong + "'time,event'" }
        #expect { try UsageTrace(csv: []) } throws: { "\($0)" == wrong + "the end of the file" }
        #expect { try UsageTrace(csv: [0xff, 0xfe, 0x0a]) } throws: { "\($0)" == wrong + "'??'" }
    }

    @Test("A table of apps has each once, with whole megabytes")
    func table() throws {
        func table(_ rows: String) throws -> AppsTable { try AppsTable(csv: Array("app,footprint_mb\n\(rows)".utf8)) }
        let apps = try table("app01,306\napp02,17\n")
        #expect(apps.apps.map(\.name) == ["app01", "app02"])
        #expect(apps.apps.map(\.megabytes) == [306, 17])
        #expect(apps.place(of: "app02") == 1)
        #expect(apps.place(of: "app03") == nil)
        #expect { try table("app01,306\napp01,17\n") } throws: {
            "\($0)" == "line 3: expected an app that has no line yet, found 'app01'"
        }
        #expect { try table("app01,0") } throws: {
            "\($0)" == "line 2: expected a footprint in whole megabytes, found '0'"
        }
        #expect { try table("app01,2,3") } throws: { "\($0)" == "line 2: expected 2 fields, found 3: 'app01,2,3'" }
    }

    @Test("Whatever bytes come, an error or a trace comes back", arguments: 0..<200)
    func rubbish(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var bytes = Array(
            "time,event,app,duration_s\n2019-11-09T17:30:12,open,app01,1\n2019-11-09T17:31:12,sleep,,1\n".utf8)
        for _ in 0..<(1 + random.below(4)) {
            let place = 26 + random.below(bytes.count - 26)
            switch random.below(3) {
            case 0: bytes[place] = UInt8(random.below(256))
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8(random.below(256)), at: place)
            }
        }
        do {
            let trace = try UsageTrace(csv: bytes)
            #expect(trace.entries.count <= 4)
            #expect(trace.entries.allSatisfy { ($0.app != nil) == ($0.kind == .open || $0.kind == .notification) })
        } catch {
            #expect((2...6).contains(error.line))
        }
    }
}
