import Model
import Testing
import Timeline
import Wire

@Suite("Trace events") struct TraceEventTests {
    private func written(_ tracks: Tracks) throws -> JSONValue {
        var bytes: [UInt8] = []
        TraceEvents.write(tracks, program: "test") { bytes += $0 }
        return try JSONValue(parsing: bytes, limits: .answer)
    }

    private func events(_ json: JSONValue, _ phase: String) -> [JSONValue] {
        (json["traceEvents"]?.array ?? []).filter { $0["ph"]?.string == phase }
    }

    @Test("States are spans in microseconds since the beginning that the file names")
    func states() throws {
        let json = try written(Tracks(Sample.session, now: Sample.at(10)))
        #expect(json["otherData"]?["begin"]?.string == "2026-11-21T10:00:00.000000Z")
        let states = events(json, "X").filter { $0["cat"]?.string == "state" }
        #expect(states.map { $0["name"]?.string }.prefix(3) == ["inactive", "active", "inactive"])
        #expect(states[1]["ts"]?.int == 1_210_000 && states[1]["dur"]?.int == 3_810_000)
        #expect(states.last?["args"]?["ongoing"] == true)
    }

    @Test(
        "Every event has a phase, a process and a time that is not before the beginning; spans of a thread do not overlap"
    )
    func wellFormed() throws {
        var records = Sample.session
        // Held at the same time as another one, and begun before the picture.
        records.insert(
            Sample.record(
                5.5, .assertionBegan(app: Sample.journal, HeldAssertion(id: 11, kind: "audio", name: "audio"))),
            at: records.count - 10)
        records.append(Sample.record(9.2, .priority(app: Sample.journal, .background)))
        records.append(Sample.record(9.3, .priority(app: Sample.journal, .timed)))
        for since in [nil, Sample.wall(6)] {
            let json = try written(Tracks(records, now: Sample.at(10), since: since))
            var ends: [Int: Int] = [:]
            for event in json["traceEvents"]?.array ?? [] {
                #expect(event["ph"] != nil && event["pid"]?.int != nil && event["name"]?.string != nil)
                #expect((event["ts"]?.int ?? -1) >= 0)
                guard event["ph"] == "X", let tid = event["tid"]?.int, let begin = event["ts"]?.int else { continue }
                #expect(begin >= ends[tid] ?? 0)
                ends[tid] = begin + (event["dur"]?.int ?? 0)
            }
            #expect(events(json, "X").count { $0["cat"] == "assertion" } == 2)
            let priorities = events(json, "X").filter { $0["cat"] == "priority" }
            #expect(priorities.map { $0["name"]?.string } == ["background", "timed"])
        }
    }

    @Test("Processor and memory are counters, which fall to nothing when nothing is used")
    func counters() throws {
        let json = try written(Tracks(Sample.session, now: Sample.at(10)))
        let processor = events(json, "C").filter { $0["cat"] == "cpu" }
        #expect(processor.map { $0["args"]?["used"]?.number } == [25, 0, 50, 0])
        let memory = events(json, "C").filter { $0["cat"] == "memory" }
        #expect(memory.map { $0["args"]?["dirty"]?.int } == [8 << 20])
    }

    @Test("Network and disk are counters in bytes a second, which fall to nothing when nothing is moved")
    func rates() throws {
        var records = Sample.session
        let app = Sample.journal
        records += [
            Sample.record(9.5, .networkUsed(app: app, sent: 1000, received: 50_000, over: .milliseconds(500))),
            Sample.record(9.75, .networkUsed(app: app, sent: 250, received: 0, over: .milliseconds(250))),
            Sample.record(9.8125, .networkUsed(app: app, sent: 1, received: 1, over: .zero)),
            Sample.record(9.875, .diskUsed(app: app, read: 0, written: 4096, over: .seconds(2))),
        ]
        let json = try written(Tracks(records, now: Sample.at(10)))
        let network = events(json, "C").filter { $0["cat"] == "network" }
        #expect(network.map { $0["args"]?["sent"]?.int } == [2000, 1000, 0])
        #expect(network.map { $0["args"]?["received"]?.int } == [100_000, 0, 0])
        #expect(network.map { $0["ts"]?.int } == [9_000_000, 9_500_000, 9_750_000])
        let disk = events(json, "C").filter { $0["cat"] == "disk" }
        #expect(disk.map { $0["args"]?["written"]?.int } == [2048, 0])
        #expect(disk.map { $0["args"]?["read"]?.int } == [0, 0])
        #expect(Set(disk.map { $0["name"]?.string }) == ["disk (bytes/s)"])
        // What lies before the picture is not in it.
        let later = try written(Tracks(records, now: Sample.at(10), since: Sample.wall(9.8125)))
        #expect(events(later, "C").count { $0["cat"] == "network" } == 0)
    }

    @Test("Log entries keep their numbers and reasons")
    func entries() throws {
        let json = try written(Tracks(Sample.session, now: Sample.at(10)))
        let told = (events(json, "i") + events(json, "X")).compactMap { $0["args"]?["seq"]?.int }
        #expect(told.sorted() == Array(1...12))
        #expect(events(json, "i").first?["args"]?["reason"] == "because of booted")
    }

    @Test("An empty timeline is a file as well")
    func empty() throws {
        #expect(events(try written(Tracks([], now: nil)), "X").isEmpty)
    }
}
