import Host
import Testing

@Suite("Memory that nothing explains")
struct UnseenLossTests {
    private static let megabyte: Int64 = 1 << 20
    private static let second: Int64 = 1_000_000_000

    /// Looks after each step, in megabytes and seconds: what the machine has, what apps are known to have.
    private func looks(_ steps: [(at: Double, machine: Int64, apps: Int64)]) -> [Bool] {
        var loss = UnseenLoss()
        return steps.map { step in
            loss.note(
                machine: step.machine * Self.megabyte, apps: step.apps * Self.megabyte,
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

    @Test("Looks in vain come more and more rarely, until one finds something")
    func pauses() {
        var loss = UnseenLoss()
        var machine: Int64 = 100_000
        _ = loss.note(machine: machine * Self.megabyte, apps: 0, at: 0)
        func count(from: Int64, hundredths: Int64) -> Int {
            (0..<hundredths).count { step in
                machine -= 20
                return loss.note(machine: machine * Self.megabyte, apps: 0, at: from + step * 10_000_000)
            }
        }
        // After 50 ms, 100 ms, and so on, and in the end every 1.6 s.
        #expect(count(from: 0, hundredths: 160) == 6)
        #expect(count(from: 2 * Self.second, hundredths: 320) <= 3)
        loss.found()
        #expect(count(from: 10 * Self.second, hundredths: 160) == 6)
    }
}
