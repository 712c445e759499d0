import Model
import Testing
import TransferCore

@Suite("When the service itself ends by a fault") struct SuspectTests {
    /// So many downloads from different servers, which run.
    private func bench(_ count: Int64) -> (Bench, ConnectionID) {
        var bench = Bench()
        let connection = bench.open()
        for number in 1...count { bench.begin(Bench.download(number, "https://host\(number).org/a"), on: connection) }
        return (bench, connection)
    }

    private func begun(_ effects: [TransferEffect]) -> [UInt64] { effects.downloads.map(\.attempt.transfer.rawValue) }

    private func running(_ bench: Bench) -> [UInt64] {
        bench.system.transfers.filter { bench.system.status($0, at: bench.now)?.state == .running }.map(\.rawValue)
    }

    private func error(_ bench: Bench, _ id: UInt64) -> TransferError? {
        bench.system.status(TransferID(id), at: bench.now)?.record.outcome?.error
    }

    @Test("What ran is tried one by one, for seconds, before all runs again")
    func trial() {
        var (bench, _) = bench(3)
        #expect(begun(bench.restart(after: [1, 2, 3])) == [1])
        #expect(bench.system.status(TransferID(2), at: bench.now)?.waitingFor == .alone)
        #expect(begun(bench.pass(2.1)) == [2])
        #expect(running(bench) == [2])
        bench.pass(2.1)
        #expect(running(bench) == [3])
        bench.pass(2.1)
        #expect(running(bench) == [1, 2, 3])
    }

    @Test("The task that was alone at the second fault is set aside, and the others go on")
    func setAside() {
        var (bench, _) = bench(3)
        bench.restart(after: [1, 2, 3])
        bench.pass(2.1)
        #expect(running(bench) == [2])
        let effects = bench.restart(after: [2])
        #expect(error(bench, 2)?.code == -1)
        #expect(begun(effects) == [3], "which has not been tried yet")
        bench.pass(2.1)
        #expect(running(bench) == [1, 3])
        #expect(error(bench, 1) == nil && error(bench, 3) == nil)
    }

    @Test("One fault condemns nobody, alone or not; kills from outside never do")
    func one() {
        var (bench, _) = bench(1)
        #expect(begun(bench.restart(after: [1])) == [1])
        #expect(error(bench, 1) == nil)
        for _ in 0..<100 { bench.restart() }
        #expect(error(bench, 1) == nil)
        #expect(running(bench) == [1])
    }

    @Test("A suspect that ends in order during its trial makes room at once")
    func ends() throws {
        var (bench, _) = bench(2)
        let attempt = try #require(bench.restart(after: [1, 2]).downloads.first).attempt
        #expect(begun(bench.send(.failed(attempt, .cannotConnect))) == [2])
    }

    @Test("Those that wait for something else are not waited for")
    func notReady() throws {
        var (bench, connection) = bench(2)
        let attempt = try #require(bench.effects.downloads.first).attempt
        bench.send(
            .responseHead(
                attempt, ResponseHead(status: 503, headers: [HeaderField("Retry-After", "600")]), challenge: nil))
        bench.begin(Bench.download(3, "https://host3.org/a"), on: connection)
        #expect(begun(bench.restart(after: [1, 2])) == [2])
        bench.pass(2.1)
        #expect(running(bench) == [2, 3])
    }

    @Test("After two faults with several on the wire a task runs alone, and gives way to all that is not suspected")
    func probation() throws {
        var (bench, _) = bench(2)
        bench.restart(after: [1, 2])
        #expect(begun(bench.restart(after: [1, 2])) == [1])
        #expect(error(bench, 1) == nil && error(bench, 2) == nil)
        let connection = bench.open()
        // Something new comes, and has precedence.
        bench.forgetEffects()
        let effects = bench.begin(Bench.download(3, "https://host3.org/a"), on: connection)
        #expect(effects.stopped.map(\.transfer.rawValue) == [1])
        #expect(running(bench) == [3])
        let third = try #require(effects.downloads.first).attempt
        bench.send(.responseHead(third, .ok(10), challenge: nil))
        bench.send(.durable(third, offset: 10))
        bench.send(.responseEnded(third, offset: 10, digest: .unknown))
        #expect(running(bench) == [1])
        // It serves its time, and is one of many again.
        bench.pass(16.1)
        #expect(running(bench) == [1])
        bench.pass(1)
        #expect(bench.system.status(TransferID(2), at: bench.now)?.waitingFor == .alone)
    }

    @Test("Whoever is alone at its third fault is set aside as well")
    func third() {
        var (bench, _) = bench(2)
        bench.restart(after: [1, 2])
        bench.restart(after: [1, 2])
        bench.restart(after: [1])
        #expect(error(bench, 1)?.code == -1)
        #expect(error(bench, 2) == nil)
    }

    @Test("An app three of whose tasks were set aside waits with the others, longer each time; other apps do not")
    func held() {
        var (bench, _) = bench(5)
        for id in 1...3 as ClosedRange<UInt64> {
            bench.restart(after: [id])
            bench.restart(after: [id])
            #expect(error(bench, id)?.code == -1)
        }
        #expect(running(bench).isEmpty)
        #expect(bench.system.status(TransferID(4), at: bench.now)?.waitingFor == .alone)
        #expect(bench.system.why(TransferID(4), at: bench.now)?.sentence.contains("3 transfers of its app") == true)
        let connection = bench.open("p", app: podcasts)
        bench.begin(Bench.download(1, "https://podcasts.org/a"), on: connection, session: "p")
        #expect(running(bench) == [6])
        bench.pass(61)
        #expect(running(bench) == [4, 5, 6])
    }

    @Test("What is told of tasks that are not there, or have ended, has no effect")
    func strangers() {
        var (bench, connection) = bench(2)
        bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: false))
        #expect(begun(bench.restart(after: [1, 77, .max])) == [2])
        #expect(begun(bench.restart(after: [])) == [2])
    }
}
