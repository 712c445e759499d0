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
        expect(!control.leave(5, isProven: false))
        expect(control.hasPlace())
        control.enter(8, at: Sample.start)
        expect(!control.hasPlace())
        expect(control.leave(0, isProven: false))
        expect(!control.leave(0, isProven: false))
        expect(!control.leave(1, isProven: false))
        #expect(control.count == 6)
        expect(control.hasPlace())
    }

    @Test("While there are places, no connection has to hurry")
    func roomy() {
        var control = Self.full()
        expect(control.watch(at: Sample.start) == nil)
        expect(control.overdue(at: Sample.start + .seconds(14)).isEmpty)
    }

    @Test("While all places are taken, the oldest make way, a quarter at a time")
    func crowded() {
        var control = Self.full()
        expect(!control.hasPlace())
        expect(control.watch(at: Sample.start + .seconds(1)) == Sample.start + .seconds(4))
        expect(control.overdue(at: Sample.start + .milliseconds(3999)).isEmpty)
        expect(control.overdue(at: Sample.start + .seconds(4)) == [0])
        // The next ones are late by now, and come when a quarter of the time has passed.
        expect(control.watch(at: Sample.start + .seconds(4)) == Sample.start + .seconds(5))
        expect(control.overdue(at: Sample.start + .seconds(5)) == [1, 2])
        // None of them is named again, and none has left yet.
        expect(control.overdue(at: Sample.start + .seconds(6)) == [3, 4])
        expect(control.leave(0, isProven: false))
        expect(control.overdue(at: Sample.start + .seconds(7)).isEmpty)
    }

    @Test("While half of the places change hands in that time, slow ones are left in peace")
    func moving() {
        var control = Self.full()
        expect(!control.hasPlace())
        expect(control.watch(at: Sample.start) == Sample.start + .seconds(4))
        for number in 4..<8 {
            expect(control.leave(number, isProven: true))
            let hasPlace = control.hasPlace()
            #expect(hasPlace)
            control.enter(number + 4, at: Sample.start + .seconds(2))
            expect(!control.hasPlace())
        }
        expect(control.overdue(at: Sample.start + .seconds(4)).isEmpty)
        // From now on none does.
        expect(control.watch(at: Sample.start + .seconds(4)) == Sample.start + .seconds(5))
        expect(control.overdue(at: Sample.start + .seconds(5)) == [0, 1])
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
        var look: Instant?
        for _ in 0..<2000 {
            while !waiting.isEmpty, control.hasPlace() {
                let next = waiting.removeFirst()
                control.enter(next, at: now)
                if honest[next] != nil { honest[next] = now + .milliseconds(.random(in: 100...2000, using: &dice)) }
            }
            #expect(control.count <= 8)
            now = now + .milliseconds(100)
            if look == nil { look = control.watch(at: now) }
            if let time = look, time <= now {
                look = nil
                for id in control.overdue(at: now) {
                    #expect(honest[id] == nil, "an honest one was ended")
                    _ = control.leave(id, isProven: false)
                }
            }
            for (id, time) in honest where time <= now && !waiting.contains(id) {
                honest[id] = nil
                wasOpened += 1
                _ = control.leave(id, isProven: true)
            }
        }
        // Eight places, each for four seconds and a pause.
        #expect(wasOpened == 20 && waiting.isEmpty)
    }
}
