import Model
import Testing
import TransferCore

@Suite("Storms") struct TransferStormTests {
    /// Runs a storm, then lets all come to its end in calm weather.
    private func run(seed: UInt64, steps: Int) -> StormWorld {
        var rules = TransferRules()
        rules.mostRunning = 6
        rules.mostRunningPerApp = 4
        var world = StormWorld(seed: seed, rules: rules)
        for _ in 0..<steps where world.broken.isEmpty { world.step() }
        calm(&world)
        return world
    }

    /// The user opens every app, the network is good, and nobody dies.
    private func calm(_ world: inout StormWorld) {
        world.isCalm = true
        world.hasSystem = true
        world.conditions = TransferConditions(network: .wifi)
        world.attachSystem()
        world.post(.conditions(world.conditions))
        for app in StormWorld.apps { world.become(app, .foreground) }
        for place in world.clients.indices {
            if world.clients[place].connection == nil { world.connect(place) }
            world.clients[place].isOpen = true
        }
        for place in world.clients.indices {
            for task in world.clients[place].created.sorted() {
                world.ask(place, .resume(session: world.clients[place].session, task: task))
            }
        }
        for _ in 0..<3000 where world.broken.isEmpty && !world.isDone {
            for _ in 0..<30 { world.networkStep() }
            world.shellStep()
            world.delegateStep()
            world.pass(2)
        }
    }

    private func check(_ world: StormWorld, _ seed: UInt64) {
        for text in world.broken { Issue.record("seed \(seed): \(text)") }
        guard world.broken.isEmpty else { return }
        for client in world.clients {
            #expect(client.unanswered.isEmpty, "seed \(seed): \(client.unanswered.count) requests are unanswered")
            for task in client.created.sorted() {
                #expect(
                    client.told[task]?.filter { $0 == 3 }.count == 1,
                    "seed \(seed): task \(task) of \(client.app)/\(client.session) was told \(client.told[task] ?? [])")
            }
        }
        for (id, fetched) in world.fetched { checkFetched(world, seed, id, fetched) }
    }

    /// What was fetched beyond the thing itself is at most a chunk a try, where the server can continue.
    private func checkFetched(_ world: StormWorld, _ seed: UInt64, _ id: TransferID, _ fetched: Int64) {
        guard let server = world.server(of: id), server.hasRanges, server.hasTag, server.version == 1 else { return }
        // A step of the simulated network can carry a chunk beyond its length.
        let most = server.length + (world.tries[id] ?? 0) * (StormWorld.chunk + 600)
        #expect(fetched <= most, "seed \(seed): \(fetched) bytes of \(server.length) in \(world.tries[id] ?? 0) tries")
    }

    @Test(
        "Whoever dies when: every task that was taken on is told once, whole, in order, and little is fetched twice",
        arguments: UInt64(1)...60)
    func storm(seed: UInt64) {
        let world = run(seed: seed, steps: 1500)
        check(world, seed)
        guard world.broken.isEmpty else { return }
        #expect(world.kills > 5, "seed \(seed): hardly anybody died")
    }

    @Test("The same seed gives the same storm")
    func reproducible() {
        let first = run(seed: 7, steps: 500)
        let second = run(seed: 7, steps: 500)
        #expect(first.now == second.now)
        #expect(first.fetched == second.fetched)
        #expect(first.clients.map(\.acknowledged) == second.clients.map(\.acknowledged))
    }
}

extension StormWorld {
    var isDone: Bool {
        clients.allSatisfy { client in
            client.working == nil && client.unanswered.isEmpty
                && client.created.allSatisfy { client.told[$0]?.contains(3) == true }
        }
    }

    func server(of id: TransferID) -> StormServer? { addresses[id].flatMap { servers[$0] } }
}
