import Model
import PushCore
import Testing

@Suite("How many connections may be unproven")
struct AdmissionControlTests {
    private static let rules = {
        var rules = PushRules()
        rules.unproven = 8
        rules.crowdedGreeting = .seconds(4)
        return rules
    }()

    /// The macro cannot change what it looks at.
    private func expect(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(condition, sourceLocation: location)
    }

    private static func full(at now: Instant = Sample.start) -> AdmissionControl<Int> {
        var control = AdmissionControl<Int>(rules)
        for number in 0..<8 {
            let hasPlace = control.hasPlace()
            #expect(hasPlace)
            control.enter(number, at: now + .seconds(Double(number) / 10))
        }
        return control
    }

    @Test("The limit holds, and a place that was asked for is offered once when it is free")
    func limit() {
        var control = Self.full()
        expect(!control.leave(5))
        expect(control.hasPlace())
        control.enter(8, at: Sample.start)
        expect(!control.hasPlace())
        expect(control.leave(0))
        expect(!control.leave(0))
        expect(!control.leave(1))
        #expect(control.count == 6)
        expect(control.hasPlace())
    }

    @Test("While there are places, no connection has to hurry")
    func roomy() {
        var control = Self.full()
        #expect(control.deadline == nil)
        expect(control.overdue(at: Sample.start + .seconds(14)).isEmpty)
    }

    @Test("While all places are taken, the oldest make way, a quarter at a time")
    func crowded() throws {
        var control = Self.full()
        expect(!control.hasPlace())
        var now = Sample.start + .seconds(4)
        #expect(control.deadline == now)
        expect(control.overdue(at: now - .milliseconds(1)).isEmpty)
        expect(control.overdue(at: now) == [0])
        // The next ones are late by now, and come when a quarter of the time has passed.
        now = try #require(control.deadline)
        #expect(now == Sample.start + .seconds(5))
        expect(control.overdue(at: now) == [1, 2])
        // None of them is named again, and none has left yet.
        expect(control.overdue(at: now + .seconds(1)) == [3, 4])
        expect(control.leave(0))
        expect(control.overdue(at: now + .seconds(2)).isEmpty)
    }

    /// Silent connections come all the time, and honest ones among them.
    @Test("Silent connections that take all places do not keep an honest one out for long", arguments: 1...10)
    func silence(seed: UInt64) {
        var dice = SplitMix(seed: seed)
        var control = AdmissionControl<Int>(Self.rules)
        var now = Sample.start
        var waiting = Array(0..<200)
        // One of ten is honest.
        var honest = Dictionary(uniqueKeysWithValues: waiting.filter { $0 % 10 == 9 }.map { ($0, now) })
        var wasOpened = 0
        for _ in 0..<2000 {
            while !waiting.isEmpty, control.hasPlace() {
                let next = waiting.removeFirst()
                control.enter(next, at: now)
                if honest[next] != nil { honest[next] = now + .milliseconds(.random(in: 100...2000, using: &dice)) }
            }
            #expect(control.count <= 8)
            now = now + .milliseconds(100)
            for id in control.overdue(at: now) {
                #expect(honest[id].map { $0 < now } ?? true, "an honest one was ended")
                _ = control.leave(id)
            }
            for (id, time) in honest where time <= now && !waiting.contains(id) {
                honest[id] = nil
                wasOpened += 1
                _ = control.leave(id)
            }
        }
        // Eight places, each for four seconds and a pause.
        #expect(wasOpened == 20 && waiting.isEmpty)
    }
}

private func - (a: Instant, b: Span) -> Instant { Instant(nanoseconds: a.nanoseconds - b.nanoseconds) }
