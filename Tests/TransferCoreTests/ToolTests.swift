import Model
import Testing
import TransferCore

@Suite("The tool's own transfers") struct ToolTests {
    private func creation(_ url: String = "https://example.org/a") -> TransferCreation {
        var creation = Bench.download(0, url)
        creation.number = 77
        creation.target = "/home/u/a"
        return creation
    }

    private func add(_ bench: inout Bench, _ creation: TransferCreation) throws -> TransferID {
        guard case .success(.added(let id)) = bench.ask(tool: .add(creation, isDiscretionary: false)) else {
            throw TransferRefusal.noSuchTask
        }
        return id
    }

    @Test("A download begins at once, is put in its place, and whoever waits is told")
    func download() throws {
        var bench = Bench()
        let id = try add(&bench, creation())
        let attempt = try #require(bench.effects.downloads.last).attempt
        #expect(bench.send(.tool(RequestID(500), .wait(id))).isEmpty)
        let complete = bench.complete(attempt)
        #expect(complete.contains(.moveToTarget(id, .part(1), path: "/home/u/a")))
        let done = bench.send(.fileMoved(id, path: "/home/u/a"))
        guard
            case .reply(RequestID(500), .ended(let status))? = done.first(where: {
                if case .reply = $0 { true } else { false }
            })
        else { return missing("nobody is told") }
        #expect(status.state == .done)
        #expect(bench.system.filesInUse.isEmpty)
        guard case .success(.ended) = bench.ask(tool: .wait(id)) else { return missing("whoever comes late waits") }
    }

    @Test("A place that cannot be written is tried again, and nothing is fetched again, also after a restart")
    func placing() throws {
        var bench = Bench()
        let id = try add(&bench, creation())
        _ = bench.complete(try #require(bench.effects.downloads.last).attempt)
        bench.send(.moveFailed(id, .notPermitted))
        #expect(bench.system.status(id, at: bench.now)?.waitingFor == .quota)
        let move = TransferEffect.moveToTarget(id, .part(1), path: "/home/u/a")
        #expect(bench.pass(31).contains(move))
        #expect(bench.restart().contains(move))
        bench.send(.fileMoved(id, path: "/home/u/a"))
        #expect(bench.system.status(id, at: bench.now)?.state == .done)
        #expect(bench.effects.downloads.count == 1)
    }

    @Test("Pause, resume and cancel do what they say, and what has ended refuses them")
    func control() throws {
        var bench = Bench()
        let id = try add(&bench, creation())
        bench.ask(tool: .pause(id))
        #expect(bench.system.status(id, at: bench.now)?.state == .suspended)
        bench.ask(tool: .resume(id))
        #expect(bench.effects.downloads.count == 2)
        bench.ask(tool: .cancel(id))
        #expect(bench.system.status(id, at: bench.now)?.state == .cancelled)
        #expect(bench.ask(tool: .resume(id)) == .failure(.taskHasEnded))
        #expect(bench.ask(tool: .pause(TransferID(99))) == .failure(.noSuchTask))
    }

    @Test("An error of the server is an error, and leaves nothing in the place", arguments: [401, 404] as [Int32])
    func errors(_ status: Int32) throws {
        var bench = Bench()
        let id = try add(&bench, creation())
        let attempt = try #require(bench.effects.downloads.last).attempt
        let space = ChallengeSpace(host: "h", port: 443, scheme: "https", realm: nil, method: "basic")
        let effects = bench.send(
            .responseHead(attempt, ResponseHead(status: status), challenge: status == 401 ? space : nil))
        #expect(bench.system.status(id, at: bench.now)?.state == .failed)
        #expect(effects.removed == [.part(1)])
    }

    @Test("The oldest that have ended are forgotten")
    func forgotten() throws {
        var rules = TransferRules()
        rules.mostEndedToolTasks = 3
        var bench = Bench(rules: rules)
        for _ in 0..<5 { bench.ask(tool: .cancel(try add(&bench, creation()))) }
        #expect(bench.system.transfers.map(\.rawValue) == [3, 4, 5])
        bench.restart()
        bench.ask(tool: .cancel(try add(&bench, creation())))
        #expect(bench.system.transfers.map(\.rawValue) == [4, 5, 6])
    }

    @Test("A download without a place is refused")
    func noPlace() {
        var bench = Bench()
        guard case .failure(.invalid("path", _)) = bench.ask(tool: .add(Bench.download(), isDiscretionary: false))
        else {
            return missing("it is taken")
        }
    }
}
