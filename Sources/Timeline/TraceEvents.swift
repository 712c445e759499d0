internal import Model
internal import Wire

/// Tracks in the Trace Event format, which Perfetto and speedscope open.
///
/// A process for the device and for each app; in it a thread for the states, one for the callbacks, one for what the
/// log tells besides and one for a low priority, and as many for the assertions as are held at once. Processor,
/// memory, network and disks are counters. `ts` and `dur` are whole microseconds; `otherData.begin` says when `ts` was
/// 0, so that times can be compared with the log's.
package struct TraceEvents {
    private let tracks: Tracks
    private let origin: Int64
    private let sink: ([UInt8]) -> Void
    private var isFirst = true

    private enum Thread: Int64 {
        case states = 1
        case callbacks, log, priority
        case assertions
    }

    /// Calls `sink` with one piece of the text after another.
    package static func write(_ tracks: Tracks, program: String, to sink: ([UInt8]) -> Void) {
        withoutActuallyEscaping(sink) { sink in
            var events = TraceEvents(tracks, sink)
            events.write(program: program)
        }
    }

    private init(_ tracks: Tracks, _ sink: @escaping ([UInt8]) -> Void) {
        self.tracks = tracks
        self.sink = sink
        var first = tracks.begin
        func include(_ moment: WallTime?) { if let moment { first = min(first, moment) } }
        for app in tracks.apps {
            for begin in app.states.map(\.begin) { include(begin) }
            for begin in app.callbacks.map(\.begin) { include(begin) }
            for begin in app.assertions.map(\.begin) { include(begin) }
            for begin in app.priorities.map(\.begin) { include(begin) }
            for begin in app.processor.map(\.begin) { include(begin) }
            for begin in (app.network + app.disk).map(\.begin) { include(begin) }
            include(app.memory.first?.at)
        }
        for begin in tracks.daemon.map(\.begin) { include(begin) }
        include(tracks.available.first?.at)
        origin = Self.microseconds(first)
    }

    private static func microseconds(_ moment: WallTime) -> Int64 {
        let (whole, rest) = moment.nanoseconds.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? whole - 1 : whole
    }

    private mutating func write(program: String) {
        let begin = WallTime(nanoseconds: origin &* 1000).iso8601
        let head: JSONValue = ["begin": .string(begin), "program": .string(program)]
        sink(
            Array("{\"displayTimeUnit\":\"ms\",\"otherData\":".utf8) + head.encoded + Array(",\"traceEvents\":[\n".utf8)
        )
        writeDevice(1)
        for (number, app) in tracks.apps.enumerated() { write(app, Int64(number) + 2) }
        sink(Array("\n]}\n".utf8))
    }

    // MARK: Processes

    private mutating func writeDevice(_ pid: Int64) {
        name(pid, "Device")
        name(pid, thread: .log, "log")
        for point in tracks.device {
            emit("i", point.value.event, "log", pid, .log, point.at, ["s": "g", "args": arguments(point.value)])
        }
        for point in tracks.available {
            emit(
                "C", "available memory (bytes)", "memory", pid, nil, point.at,
                ["args": ["available": .int(point.value.bytes)]])
        }
        write(shares: tracks.daemon, "the daemon's CPU (%)", pid)
    }

    private mutating func write(_ app: Tracks.App, _ pid: Int64) {
        name(pid, app.name == app.id ? app.id : "\(app.name) (\(app.id))")
        name(pid, thread: .states, "state")
        for state in app.states {
            emit(state, state.value.name, "state", pid, Self.number(.states, pid), isOpenTold: true)
        }
        name(pid, thread: .callbacks, "callbacks")
        var last = Int64.min
        for call in app.callbacks {
            // Rounded to microseconds, one could begin before the one before it has ended.
            last = emit(
                call, call.value.event, "callback", pid, Self.number(.callbacks, pid), after: last,
                arguments(call.value))
        }
        name(pid, thread: .log, "log")
        for point in app.entries {
            emit("i", point.value.event, "log", pid, .log, point.at, ["s": "t", "args": arguments(point.value)])
        }
        for point in app.reports {
            let report = point.value
            emit(
                "i", "report \(report.namespace) 0x\(String(report.code, radix: 16))", "report", pid, .log, point.at,
                ["s": "p", "args": ["id": .string(report.id), "reason": .string(report.reason)]])
        }
        if !app.priorities.isEmpty { name(pid, thread: .priority, "priority") }
        last = .min
        for stretch in app.priorities {
            last = emit(
                stretch, stretch.value.name, "priority", pid, Self.number(.priority, pid), after: last,
                isOpenTold: true)
        }
        writeAssertions(app, pid)
        write(shares: app.processor, "CPU (%)", pid)
        write(app.network, "network (bytes/s)", "network", (coming: "received", going: "sent"), pid)
        write(app.disk, "disk (bytes/s)", "disk", (coming: "read", going: "written"), pid)
        for point in app.memory {
            emit(
                "C", "memory (bytes)", "memory", pid, nil, point.at,
                [
                    "args": [
                        "dirty": .int(point.value.dirty), "purgeable": .int(point.value.purgeable),
                        "clean": .int(point.value.clean),
                    ]
                ])
        }
    }

    /// Those that overlap lie in threads of their own: what is in one must nest.
    private mutating func writeAssertions(_ app: Tracks.App, _ pid: Int64) {
        var ends: [Int64] = []
        for held in app.assertions {
            let begin = Self.microseconds(held.begin)
            let lane = ends.firstIndex { $0 <= begin } ?? ends.count
            let tid = Self.number(.assertions, pid) + Int64(lane)
            if lane == ends.count {
                ends.append(0)
                name(pid, tid, lane == 0 ? "assertions" : "assertions \(lane + 1)")
            }
            ends[lane] = Self.microseconds(held.end)
            var args: JSONObject = ["kind": .string(held.value.kind), "id": .int(Int64(clamping: held.value.id))]
            if held.isOpen { args["ongoing"] = true }
            let name = held.value.name == held.value.kind ? held.value.kind : "\(held.value.kind) “\(held.value.name)”"
            emit(held, name, "assertion", pid, tid, .object(args))
        }
    }

    private mutating func write(
        _ stretches: [Tracks.Stretch<Tracks.Rates>], _ name: String, _ category: String,
        _ series: (coming: String, going: String), _ pid: Int64
    ) {
        func args(_ rates: Tracks.Rates) -> JSONObject {
            var args = JSONObject()
            args[series.coming] = .int(Int64(min(rates.coming, 1e15).rounded()))
            args[series.going] = .int(Int64(min(rates.going, 1e15).rounded()))
            return ["args": .object(args)]
        }
        for (number, stretch) in stretches.enumerated() {
            emit("C", name, category, pid, nil, stretch.begin, args(stretch.value))
            let next = number + 1 < stretches.count ? stretches[number + 1].begin : nil
            if next != stretch.end {
                emit("C", name, category, pid, nil, stretch.end, args(Tracks.Rates(coming: 0, going: 0)))
            }
        }
    }

    private mutating func write(shares: [Tracks.Stretch<Double>], _ name: String, _ pid: Int64) {
        for (number, share) in shares.enumerated() {
            let percent = (share.value * 10_000).rounded() / 100
            emit("C", name, "cpu", pid, nil, share.begin, ["args": ["used": .double(percent)]])
            let next = number + 1 < shares.count ? shares[number + 1].begin : nil
            if next != share.end {
                emit("C", name, "cpu", pid, nil, share.end, ["args": ["used": .double(0)]])
            }
        }
    }

    private func arguments(_ entry: TimelineEntry) -> JSONValue {
        var args: JSONObject = ["seq": .int(Int64(clamping: entry.sequence)), "reason": .string(entry.reason)]
        if let cause = entry.cause { args["cause"] = .int(Int64(clamping: cause)) }
        if let took = entry.took { args["took"] = .double(took.seconds) }
        return .object(args)
    }

    // MARK: Events

    /// Numbers of threads are all different: some readers know them without their process.
    private static func number(_ thread: Thread, _ pid: Int64) -> Int64 { pid * 1000 + thread.rawValue }

    private mutating func name(_ pid: Int64, _ name: String) {
        write(["ph": "M", "name": "process_name", "pid": .int(pid), "ts": 0, "args": ["name": .string(name)]])
        write(["ph": "M", "name": "process_sort_index", "pid": .int(pid), "ts": 0, "args": ["sort_index": .int(pid)]])
    }

    private mutating func name(_ pid: Int64, thread: Thread, _ name: String) {
        self.name(pid, Self.number(thread, pid), name)
    }

    private mutating func name(_ pid: Int64, _ tid: Int64, _ name: String) {
        write([
            "ph": "M", "name": "thread_name", "pid": .int(pid), "tid": .int(tid), "ts": 0,
            "args": ["name": .string(name)],
        ])
        write([
            "ph": "M", "name": "thread_sort_index", "pid": .int(pid), "tid": .int(tid), "ts": 0,
            "args": ["sort_index": .int(tid)],
        ])
    }

    /// A span; returns where it ends.
    @discardableResult
    private mutating func emit<Value>(
        _ stretch: Tracks.Stretch<Value>, _ name: String, _ category: String, _ pid: Int64, _ tid: Int64,
        after last: Int64 = .min, isOpenTold: Bool = false, _ args: JSONValue? = nil
    ) -> Int64 {
        let begin = max(last, Self.microseconds(stretch.begin))
        let end = max(begin, Self.microseconds(stretch.end))
        var event: JSONObject = [
            "ph": "X", "name": .string(name), "cat": .string(category), "pid": .int(pid), "tid": .int(tid),
            "ts": .int(begin - origin), "dur": .int(end - begin),
        ]
        if let args { event["args"] = args } else if stretch.isOpen, isOpenTold { event["args"] = ["ongoing": true] }
        write(.object(event))
        return end
    }

    private mutating func emit(
        _ phase: String, _ name: String, _ category: String, _ pid: Int64, _ thread: Thread?, _ at: WallTime,
        _ more: JSONObject
    ) {
        var event: JSONObject = [
            "ph": .string(phase), "name": .string(name), "cat": .string(category), "pid": .int(pid),
            "ts": .int(Self.microseconds(at) - origin),
        ]
        if let thread { event["tid"] = .int(Self.number(thread, pid)) }
        for member in more.members { event[member.key] = member.value }
        write(.object(event))
    }

    private mutating func write(_ event: JSONValue) {
        sink(isFirst ? event.encoded : Array(",\n".utf8) + event.encoded)
        isFirst = false
    }
}
