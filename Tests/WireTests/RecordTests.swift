import Testing
import Wire

@Suite("Parameters and records")
struct RecordTests {
    private let params: JSONValue = [
        "app": "a.b", "wait": false, "limit": 5, "none": nil, "took": 0.5, "list": [1], "o": [:],
    ]

    @Test("An answer whose result is JSON already is the same line")
    func writtenResponse() {
        let result: JSONValue = [["app": "a.b", "name": "Ü \"x\""], ["app": "c"]]
        for id in [RPCID.int(7), .string("x\"y")] {
            let line = RPCMessage.answer(id: id, written: result.encoded)
            #expect(line == RPCMessage.response(id: id, result: result).encoded())
        }
    }

    @Test("Parameters are read by name, null and absent alike")
    func reading() throws {
        #expect(try params.string("app") == "a.b")
        #expect(try params.optionalString("none") == nil)
        #expect(try params.optionalString("absent") == nil)
        #expect(try params.bool("wait", default: true) == false)
        #expect(try params.bool("absent", default: true) == true)
        #expect(try params.int("limit") == 5)
        #expect(try params.optionalInt("absent") == nil)
        #expect(try params.optionalNumber("limit") == 5)
        #expect(try params.optionalNumber("took") == 0.5)
        #expect(try params.array("list") == [1])
        #expect(try params.object("o") == [:])
        #expect(try JSONValue.null.optionalString("app") == nil)
    }

    @Test("A missing or wrong parameter is answered with its name")
    func wrong() throws {
        func check(_ name: String, _ body: () throws(RPCError) -> Void) throws {
            let error = try #require(throws: RPCError.self) { try body() }
            #expect(error.code == .invalidParams)
            #expect(error.data["parameter"] == .string(name))
            #expect(error.message.contains(name))
        }
        try check("url") { () throws(RPCError) in _ = try params.string("url") }
        try check("none") { () throws(RPCError) in _ = try params.string("none") }
        try check("limit") { () throws(RPCError) in _ = try params.string("limit") }
        try check("app") { () throws(RPCError) in _ = try params.int("app") }
        try check("took") { () throws(RPCError) in _ = try params.optionalInt("took") }
        try check("app") { () throws(RPCError) in _ = try params.bool("app", default: true) }
        try check("app") { () throws(RPCError) in _ = try params.array("app") }
        try check("list") { () throws(RPCError) in _ = try params.object("list") }
        try check("app") { () throws(RPCError) in _ = try params.word("app", of: SimulatedEvent.self) }
    }

    @Test("Parameters by position are refused")
    func byPosition() throws {
        let error = try #require(throws: RPCError.self) { try JSONValue.array(["a"]).string("app") }
        #expect(error.code == .invalidParams)
        #expect(error.data["parameter"] == "app")
    }

    @Test("The words of the protocol are those of the specification")
    func words() throws {
        #expect(try (["event": "call-accept"] as JSONValue).word("event", of: SimulatedEvent.self) == .callAccept)
        #expect(
            SimulatedEvent.allCases.map(\.rawValue).sorted() == [
                "alert", "alert-dismiss", "battery", "call", "call-accept", "call-decline", "call-end", "clock",
                "fetch",
                "locale", "low-power",
                "memory-pressure", "memory-pressure-critical", "memory-pressure-over", "memory-warning", "network",
                "orientation", "reboot", "screen", "screenshot", "settings", "sleep", "sms", "sms-dismiss", "sms-open",
                "store", "thermal",
                "timezone", "wake",
            ])
        #expect(ControlMethod.allCases.count == 31)
        #expect(CallbackName(rawValue: "openURL") == .openURL)
    }

    private func keys(_ json: JSONValue) -> [String] { json.object?.members.map(\.key) ?? [] }

    @Test("An app that does not run has every key, with null for what is absent")
    func emptyApp() throws {
        let info = AppInfo(app: "a.b", name: "A", state: "not-running", kind: "application")
        #expect(
            info.json.description
                == #"{"app":"a.b","name":"A","state":"not-running","pid":null,"pids":[],"since":null,"visible":false,"#
                + #""role":null,"assertions":[],"marks":[],"memory":{"dirty":null,"purgeable":null,"clean":null},"#
                + #""kind":"application","exempt":false,"front":false}"#)
        #expect(try AppInfo(json: info.json) == info)
    }

    @Test("Records are read back as they were written")
    func roundTrips() throws {
        let at = "2024-01-02T03:04:05.678901Z"
        let assertion = AppInfo.Assertion(id: 1, kind: "audio", name: "n", reason: "r", since: at, expires: at)
        let info = AppInfo(
            app: "a.b", name: "A", state: "active", pid: 5, pids: [5, 6], since: at, visible: true, role: "primary",
            assertions: [assertion], memory: .init(dirty: 1, purgeable: 2, clean: 3), kind: "plain", exempt: true,
            front: true)
        try check(info)
        try check(
            StatusInfo(
                version: "1", protocolVersion: 1, pid: 3, profile: "linux", locked: true, asleep: false, front: nil,
                switcher: true, interruptions: ["call"]))
        try check(LogEntry(seq: 3, at: at, app: nil, event: "locked", reason: nil, cause: nil, took: nil))
        try check(LogEntry(seq: 3, at: at, app: "a", event: "launched", reason: "r", cause: 2, took: 0.000_012))
        try check(
            WhyAnswer(app: "a", name: "A", state: "active", because: [.init(seq: 1, at: at, event: "e", reason: "r")]))
        let wish = WhyAnswer.Wish(what: "w", missing: "m", next: at, changesWith: nil)
        try check(WhyAnswer(app: "a", state: "active", because: [], waits: [wish]))
        #expect(try WhyAnswer(json: ["app": "a", "state": "active", "because": []]).waits.isEmpty)
        var fetch = FetchInfo(app: "a.b", name: "A", interval: nil, isAllowed: false)
        try check(fetch)
        (fetch.interval, fetch.wanted, fetch.reason, fetch.missing) = (1.5, at, "r", "m")
        (fetch.next, fetch.changesWith) = (at, "c")
        fetch.expected = [FetchInfo.Opening(from: at, to: at, chance: 0.25)]
        fetch.decisions = [
            FetchInfo.Decision(
                began: at, ended: nil, result: "newData", expected: 0.5, verdict: "hit", openedAfter: 3, joules: 0.125,
                sent: 1, received: 2)
        ]
        fetch.tasks = [
            FetchInfo.Task(
                identifier: "t", kind: "refresh", earliest: at, missing: nil, next: nil, changesWith: "x")
        ]
        try check(fetch)
        try check(ReportSummary(id: "x", app: "a", at: at, namespace: "WATCHDOG", code: 0x8bad_f00d, reason: "r"))
        try check(DoctorFinding(mechanism: "m", status: .replaced, detail: "d", instead: "i", cost: "c"))
        try check(DoctorFinding(mechanism: "m", status: .ok, detail: "d"))
        let shares = [
            EnergyInfo.Share(app: "a.b", service: "fetch", part: "cellular", joules: 9.5),
            EnergyInfo.Share(app: nil, service: "push", part: "wifi", joules: 0.25),
        ]
        try check(
            EnergyInfo(
                radio: "lte", state: "tail", awakeFor: 3.5, wakeups: 2, sent: 1, received: 2, joules: 9.75,
                shares: shares,
                traffic: [EnergyInfo.Traffic(app: "a.b", service: "browsing", sent: 3, received: 4)],
                counting: "kernel"))
        #expect(try AppInfo.list(json: AppInfo.json(of: [info, info])) == [info, info])
        #expect(throws: RPCError.self) { try AppInfo.list(json: [:]) }
    }

    private func check(_ record: some WireRecord) throws {
        let again = try type(of: record).init(json: JSONValue(parsing: record.json.encoded))
        #expect(again == record)
    }

    @Test("A log entry has the keys of the specification, in their order")
    func logKeys() {
        let entry = LogEntry(seq: 1, at: "t", app: nil, event: "e", reason: nil)
        #expect(keys(entry.json) == ["seq", "at", "app", "event", "reason", "cause", "took"])
        #expect(entry.json.object?["took"] == JSONValue.null)
    }
}
