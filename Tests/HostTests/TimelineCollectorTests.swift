import Host
import Model
import PolicyCore
import Testing
import Timeline

@Suite("What the timeline tells of events")
struct TimelineCollectorTests {
    /// A system whose one app is on the screen and does what it is told at once.
    private struct Device {
        var system: System
        var collector: TimelineCollector
        var now = Instant(nanoseconds: 1_000_000_000)
        private var command: UInt64 = 0
        private(set) var records: [TimelineRecord] = []
        private var pid: Int32 = 100

        init() {
            system = System(profile: .linux)
            collector = TimelineCollector(system)
            post(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
        }

        mutating func post(_ event: Event) {
            var queue = [event]
            while !queue.isEmpty {
                let event = queue.removeFirst()
                now = now + .milliseconds(5)
                let effects = system.handle(event, at: now)
                collector.note(event, effects, system, at: now)
                for effect in effects {
                    switch effect.action {
                    case .launch(let app, let generation, _):
                        pid += 1
                        queue.append(.processStarted(app, generation, pid: pid))
                        queue.append(.connected(app, generation, executed: nil))
                    case .deliver(let app, let generation, let callbacks):
                        for callback in callbacks { queue.append(.callbackReturned(app, generation, callback.number)) }
                    case .prepare(let app, let generation): queue.append(.prepared(app, generation))
                    case .freeze(let app, let generation): queue.append(.frozen(app, generation))
                    case .verify(let app, let generation): queue.append(.verified(app, generation))
                    case .kill(let app, let generation): queue.append(.allProcessesEnded(app, generation))
                    default: break
                    }
                }
            }
            records += collector.takeNotes().map(\.record)
        }

        /// The app asks a service that guards the mode of this name to do something for it.
        mutating func use(_ name: String, by app: AppIndex) {
            if system.broker?.index(of: name) == nil {
                let hold = ServiceDeclaration.Hold(name: "held", sentence: "it is held")
                let mode = BackgroundModes(keys: [name])
                post(.service(.declared([ServiceDeclaration(name: name, holds: [hold], mode: mode)])))
            }
            guard let service = system.broker?.index(of: name), let generation = system.app(app)?.generation else {
                return
            }
            post(.service(.arrived(service, [])))
            let incarnation = Incarnation(app, generation)
            post(.service(.attached(service, incarnation)))
            let stated = StatedHold(incarnation: incarnation, hold: 0, because: "")
            post(.service(.hold(service, ServiceRequestID(1), stated, limit: .zero)))
        }

        mutating func leave(_ name: String, by app: AppIndex) {
            guard let service = system.broker?.index(of: name), let generation = system.app(app)?.generation else {
                return
            }
            post(.service(.drop(service, ServiceRequestID(2), Incarnation(app, generation), hold: 0)))
        }

        mutating func perform(_ wanted: Command) {
            command += 1
            post(.command(CommandID(command), wanted))
        }

        mutating func install(_ name: String, modes: BackgroundModes = []) throws -> AppIndex {
            let identifier = try #require(AppIdentifier(name))
            var manifest = AppManifest(identifier: identifier, name: name.uppercased())
            manifest.backgroundModes = modes
            post(.installed(manifest))
            return try #require(system.index(of: identifier))
        }
    }

    private func states(_ records: [TimelineRecord]) -> [LifecycleState] {
        records.compactMap { if case .state(_, let state) = $0.what { state } else { nil } }
    }

    @Test("What an app moved is told with the time that it took; a fetch that moved nothing is not")
    func network() throws {
        var device = Device()
        let app = try device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        let begin = device.now
        device.post(
            .trafficCounted(
                app, .browsing, CountedTraffic(sent: 3, received: 4, from: begin, to: begin + .milliseconds(500))))
        device.post(.trafficCounted(app, .fetch, CountedTraffic(sent: 0, received: 0, from: begin, to: begin)))
        let told = device.records.filter { if case .networkUsed = $0.what { true } else { false } }
        #expect(
            told.map(\.what) == [.networkUsed(app: "radio", sent: 3, received: 4, over: .milliseconds(500))])
        #expect(told.first?.what.isMeasured == true)
    }

    @Test("Each state with the time of the log's entry that explains it, and the app's name before its launch")
    func session() throws {
        var device = Device()
        let app = try device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        device.perform(.close(app, wait: true))
        #expect(states(device.records) == [.inactive, .active, .inactive, .background, .suspended, .notRunning])
        #expect(device.records.contains { $0.what == .named(app: "radio", name: "RADIO") })
        let suspended = device.records.filter {
            switch $0.what {
            case .state(_, .suspended): true
            case .entry(let entry): entry.event == "suspended"
            default: false
            }
        }
        #expect(suspended.count == 2 && Set(suspended.map(\.at)).count == 1)
        #expect(device.collector.running.isEmpty)
    }

    @Test("A thousand tasks are each told once, cost what changes, and cost other apps nothing")
    func manyTasks() throws {
        var device = Device()
        let hoarder = try device.install("hoarder", modes: "audio")
        let other = try device.install("other")
        device.perform(.open(hoarder, role: .primary, wait: true))
        device.use("audio", by: hoarder)
        let before = device.records.count
        for number in 1...1000 as ClosedRange<UInt64> {
            device.post(.request(hoarder, RequestID(number), .beginTask(TaskID(number), name: "t")))
        }
        #expect(device.records.count - before == 1000)
        #expect(device.collector.comparisons < 12_000)
        let began = device.collector.comparisons
        device.perform(.open(other, role: .primary, wait: true))
        device.perform(.home(wait: true))
        #expect(device.collector.comparisons == began, "another app's events look at none of them")
        for number in [1, 1000, 500] as [UInt64] {
            device.post(.request(hoarder, RequestID(number), .endTask(TaskID(number))))
        }
        let ends = device.records.compactMap { if case .assertionEnded(_, let id) = $0.what { id } else { nil } }
        let begins = device.records.compactMap { record -> UInt64? in
            if case .assertionBegan(_, let held) = record.what, held.kind == "task" { held.id } else { nil }
        }
        #expect(ends == [begins[0], begins[999], begins[499]])
        #expect(device.collector.comparisons - began < 100)
        device.perform(.close(hoarder, wait: true))
        let all = device.records.filter { if case .assertionEnded = $0.what { true } else { false } }
        #expect(all.count == 1001)
    }

    @Test("An assertion from its taking to its dropping, also when the app ends with it")
    func assertions() throws {
        var device = Device()
        let app = try device.install("radio", modes: "audio")
        device.perform(.open(app, role: .primary, wait: true))
        device.use("audio", by: app)
        device.perform(.home(wait: true))
        #expect(states(device.records).last == .background)
        device.leave("audio", by: app)
        device.perform(.open(app, role: .primary, wait: true))
        device.use("audio", by: app)
        device.perform(.close(app, wait: true))
        let held = device.records.compactMap { record -> String? in
            switch record.what {
            case .assertionBegan(_, let held): "began \(held.kind)"
            case .assertionEnded: "ended"
            default: nil
            }
        }
        #expect(held == ["began service", "ended", "began service", "ended"])
    }

    @Test("A priority is told when it changes, once, and not of an app that is gone")
    func priorities() throws {
        var device = Device()
        let app = try device.install("radio", modes: "location")
        device.perform(.open(app, role: .primary, wait: true))
        device.use("location", by: app)
        device.perform(.home(wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        device.perform(.close(app, wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        let told = device.records.compactMap { record in
            if case .priority(_, let priority) = record.what { priority } else { nil }
        }
        #expect(told == [.background, .foreground, .background, .timed])
    }

    @Test("A memory sample is told when it differs, and nothing of an app that is gone")
    func memory() throws {
        var device = Device()
        let app = try device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        let generation = try #require(device.system.app(app)).generation
        for dirty: Int64 in [5 << 20, 5 << 20, 6 << 20] {
            device.post(.footprintSampled(app, generation, Footprint(dirty: dirty)))
        }
        device.perform(.close(app, wait: true))
        device.post(.footprintSampled(app, generation, Footprint(dirty: 7 << 20)))
        let told = device.records.compactMap { record -> Int64? in
            if case .memory(_, let footprint) = record.what { footprint.dirty } else { nil }
        }
        #expect(told == [5 << 20, 6 << 20])
    }

    @Test("Who begins in the middle tells only what changes")
    func middle() throws {
        var device = Device()
        let app = try device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        device.collector = TimelineCollector(device.system)
        #expect(device.collector.running == [app])
        let before = device.records.count
        device.post(.timer)
        #expect(device.records.count == before)
        device.perform(.home(wait: true))
        #expect(states(Array(device.records.dropFirst(before))) == [.inactive, .background, .suspended])
    }

    @Test("A clock that somebody sets is told")
    func clock() {
        var device = Device()
        device.post(.clockChanged(wallOffset: 5))
        device.post(.clockChanged(wallOffset: 5))
        let told = device.records.filter { if case .clockSet = $0.what { true } else { false } }
        #expect(told.map(\.what) == [.clockSet(offset: 1_700_000_000_000_000_000), .clockSet(offset: 5)])
    }
}
