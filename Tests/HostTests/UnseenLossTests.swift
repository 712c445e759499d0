import Host
import LinuxSystem
import Testing

@Suite("Memory that nothing explains")
struct UnseenLossTests {
    private static let megabyte: Int64 = 1 << 20
    private static let second: Int64 = 1_000_000_000

    private static func machine(left: Int64, taken: Int64? = nil) -> ProcessMemory.Balance {
        ProcessMemory.Balance(available: left * megabyte, taken: (taken ?? 2000 - left) * megabyte)
    }

    /// Looks after each step, in megabytes and seconds: what the machine has, what apps are known to have.
    private func looks(_ steps: [(at: Double, machine: Int64, apps: Int64)]) -> [Bool] {
        var loss = UnseenLoss()
        return steps.map { step in
            loss.note(
                machine: Self.machine(left: step.machine), apps: step.apps * Self.megabyte,
                at: Int64(step.at * Double(Self.second)))
        }
    }

    @Test("What apps are known to have grown by explains what the machine has lost")
    func explained() {
        #expect(looks([(0, 1000, 100), (1, 900, 200), (2, 1100, 0), (3, 1000, 100)]) == [false, false, false, false])
    }

    @Test("What nothing explains is looked for once, also when it comes in small pieces")
    func unexplained() {
        #expect(looks([(0, 1000, 100), (1, 970, 100), (2, 968, 100)]) == [false, true, false])
        #expect(looks([(0, 1000, 100), (1, 995, 100), (2, 990, 100), (3, 985, 100)]) == [false, false, false, true])
        // What came back in between is not held against it.
        #expect(looks([(0, 1000, 100), (1, 1010, 100), (2, 1000, 100), (3, 997, 100)]) == [false, false, false, true])
    }

    @Test("What is taken counts, also when the machine had it at hand and seems to have lost nothing")
    func atHand() {
        var loss = UnseenLoss()
        let steps: [(taken: Int64, apps: Int64)] = [
            (100, 50), (160, 50), (161, 50), (261, 150), (262, 150), (290, 150),
        ]
        let looks = steps.enumerated().map { at, step in
            loss.note(
                machine: Self.machine(left: 1000, taken: step.taken), apps: step.apps * Self.megabyte,
                at: Int64(at) * Self.second)
        }
        #expect(looks == [false, true, false, false, false, true])
    }

    @Test("What is lost while it is looked for is looked for as well")
    func meanwhile() {
        var loss = UnseenLoss()
        func note(_ at: Double, taken: Int64, apps: Int64) -> Bool {
            loss.note(
                machine: Self.machine(left: 2000 - taken, taken: taken), apps: apps * Self.megabyte,
                at: Int64(at * Double(Self.second)))
        }
        #expect(!note(0, taken: 100, apps: 50))
        #expect(note(1, taken: 175, apps: 50))
        #expect(!note(1.01, taken: 205, apps: 50))
        loss.found(75 * Self.megabyte)
        #expect(note(2, taken: 205, apps: 125))
        loss.found(30 * Self.megabyte)
        #expect(!note(3, taken: 205, apps: 155))
        // Less than was thought is no loss.
        loss.found(-40 * Self.megabyte)
        #expect(!note(4, taken: 205, apps: 115))
    }

    @Test("While memory cannot run short it is looked for more rarely, and what was lost meanwhile is not forgotten")
    func rest() {
        var loss = UnseenLoss()
        func note(_ at: Double, left: Int64, rest: Double) -> Bool {
            loss.note(
                machine: Self.machine(left: left), apps: 0, at: Int64(at * Double(Self.second)),
                rest: Int64(rest * Double(Self.second)))
        }
        #expect(!note(0, left: 20_000, rest: 4))
        #expect(note(1, left: 19_900, rest: 4))
        #expect(!note(2, left: 19_800, rest: 4))
        #expect(!note(4.9, left: 19_700, rest: 4))
        #expect(note(5, left: 19_700, rest: 4))
        #expect(!note(6, left: 19_700, rest: 0))
    }

    @Test("Looks in vain come more and more rarely, until one finds something")
    func pauses() {
        var loss = UnseenLoss()
        var machine: Int64 = 100_000
        _ = loss.note(machine: Self.machine(left: machine), apps: 0, at: 0)
        func count(from: Int64, hundredths: Int64) -> Int {
            (0..<hundredths).count { step in
                machine -= 20
                return loss.note(machine: Self.machine(left: machine), apps: 0, at: from + step * 10_000_000)
            }
        }
        // After 50 ms, 100 ms, and so on, and in the end every 1.6 s.
        #expect(count(from: 0, hundredths: 160) == 6)
        #expect(count(from: 2 * Self.second, hundredths: 320) <= 3)
        loss.found(5 * Self.megabyte)
        #expect(count(from: 10 * Self.second, hundredths: 160) == 6)
    }
}
