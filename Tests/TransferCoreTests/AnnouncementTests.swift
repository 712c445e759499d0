import Model
import Testing
import TransferCore

@Suite("Waking apps") struct AnnouncementTests {
    /// A session with as many downloads as wanted that run, whose app is gone.
    private func gone(_ bench: inout Bench, _ count: Int64 = 1, sends: Bool = true) -> [AttemptID] {
        var configuration = TransferConfiguration()
        configuration.sendsLaunchEvents = sends
        let connection = bench.open(configuration)
        for number in 1...count { bench.begin(Bench.download(number), on: connection) }
        bench.send(.appState(journal, .none))
        bench.send(.detached(connection))
        return bench.effects.downloads.map(\.attempt)
    }

    @Test("The app is woken once, when all of the session's transfers have ended")
    func all() {
        var bench = Bench()
        let attempts = gone(&bench, 3)
        #expect(bench.complete(attempts[0]).announcements.isEmpty)
        #expect(bench.send(.failed(attempts[1], .certificateExpired)).announcements.isEmpty)
        let last = bench.complete(attempts[2])
        #expect(last.announcements.map(\.reason) == [.finished])
        let connection = bench.open(presence: .background)
        #expect(
            bench.drain(connection).words == [
                "finished", "completed", "completed -1201", "finished", "completed", "finishedEvents",
            ])
        #expect(bench.pass(3600).announcements.isEmpty)
        #expect(bench.effects.announcements.count == 1)
    }

    @Test("An app in the foreground gets its events only, and is not told that they are over")
    func foreground() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        _ = bench.complete(attempt)
        #expect(bench.drain(connection).words == ["finished", "completed"])
        #expect(bench.effects.announcements.isEmpty)
    }

    @Test("An app in the foreground that has not opened its session is woken when it leaves")
    func leaves() throws {
        var bench = Bench()
        let attempts = gone(&bench)
        bench.send(.appState(journal, .foreground))
        #expect(bench.complete(attempts[0]).announcements.isEmpty)
        #expect(bench.send(.appState(journal, .background)).announcements.count == 1)
    }

    @Test("Without launch events nobody is woken, and nothing is lost")
    func noLaunchEvents() {
        var bench = Bench()
        let attempts = gone(&bench, sends: false)
        #expect(bench.complete(attempts[0]).announcements.isEmpty)
        let connection = bench.attach()
        bench.send(.appState(journal, .foreground))
        bench.ask(connection, .open(session: "s", TransferConfiguration()))
        #expect(bench.drain(connection).words == ["finished", "completed"])
    }

    @Test("An announcement is repeated until the system has it, and after every restart while it was not followed")
    func repeated() throws {
        var bench = Bench()
        let attempts = gone(&bench)
        let number = try #require(bench.complete(attempts[0]).announcements.first).number
        #expect(bench.pass(61).announcements.map(\.number) == [number])
        let id = try #require(bench.system.sessionID(journal, "s"))
        bench.send(.announced(id, number))
        #expect(bench.pass(3600).announcements.isEmpty)
        #expect(bench.restart().announcements.map(\.number) == [number], "the system said hello")
        bench.send(.systemDetached)
        bench.send(.systemAttached)
        #expect(bench.send(.appState(journal, .none)).announcements.map(\.number) == [number])
    }

    @Test("Before the system has said how an app is, it is not woken")
    func unknownPresence() {
        var bench = Bench()
        let attempts = gone(&bench)
        bench.send(.systemDetached)
        _ = bench.complete(attempts[0])
        #expect(bench.send(.systemAttached).announcements.isEmpty)
        #expect(bench.send(.appState(journal, .foreground)).announcements.isEmpty)
    }

    @Test("An app that dies before it heard all is woken again, later and later")
    func dies() throws {
        var bench = Bench()
        let attempts = gone(&bench, 2)
        for attempt in attempts { _ = bench.complete(attempt) }
        for wait in [60.0, 120, 240] {
            let id = try #require(bench.system.sessionID(journal, "s"))
            let number = try #require(bench.effects.announcements.last).number
            bench.send(.announced(id, number))
            let connection = bench.open(presence: .background)
            bench.send(.appState(journal, .none))
            #expect(bench.send(.detached(connection)).announcements.isEmpty)
            #expect(bench.pass(wait - 1).announcements.isEmpty)
            #expect(bench.pass(2).announcements.map(\.number) == [number + 1])
        }
    }

    @Test("Without a system nobody is announced to")
    func standAlone() throws {
        var bench = Bench(hasSystem: false)
        let connection = bench.attach()
        bench.ask(connection, .open(session: "s", TransferConfiguration()))
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.detached(connection))
        #expect(bench.complete(attempt).announcements.isEmpty)
        let next = bench.attach()
        bench.ask(next, .open(session: "s", TransferConfiguration()))
        #expect(bench.drain(next).words == ["finished", "completed"])
    }

    // Who asks?

    private let space = ChallengeSpace(host: "h", port: 443, scheme: "https", realm: "r", method: "basic")

    private func challenge(_ bench: inout Bench, _ attempt: AttemptID) -> [TransferEffect] {
        bench.send(.responseHead(attempt, ResponseHead(status: 401), challenge: space))
    }

    @Test("A question wakes the app at once, although others still run")
    func authentication() throws {
        var bench = Bench()
        let attempts = gone(&bench, 2)
        #expect(challenge(&bench, attempts[0]).announcements.map(\.reason) == [.authentication])
        let connection = bench.open(presence: .background)
        #expect(bench.drain(connection).words == ["challenge"])
        guard case .challenge(let asked) = try #require(bench.effects.deliveries.last).kind else {
            return missing("no question")
        }
        let credential = TransferCredential(user: "u", password: "p")
        bench.ask(connection, .credential(session: "s", task: 1, challenge: asked.number, .useCredential(credential)))
        #expect(bench.effects.downloads.last?.order.credential == credential)
        #expect(bench.drain(connection).words == ["finishedEvents"])
    }

    @Test("Each answer to a question does what it says, and the next question counts the failures")
    func answers() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(), on: connection)
        let credential = TransferCredential(user: "u", password: "p")
        for failures in 0...1 {
            let attempt = try #require(bench.effects.downloads.last).attempt
            guard case .challenge(let asked)? = challenge(&bench, attempt).deliveries.last?.kind else {
                return missing("no question")
            }
            #expect(asked.previousFailures == failures)
            bench.ask(
                connection, .credential(session: "s", task: 1, challenge: asked.number + 9, .useCredential(credential)))
            #expect(bench.effects.downloads.last?.attempt == attempt, "an answer to nothing")
            bench.ask(
                connection, .credential(session: "s", task: 1, challenge: asked.number, .useCredential(credential)))
            bench.drain(connection)
        }
        let attempt = try #require(bench.effects.downloads.last).attempt
        guard case .challenge(let asked)? = challenge(&bench, attempt).deliveries.last?.kind else {
            return missing("no question")
        }
        bench.ask(connection, .credential(session: "s", task: 1, challenge: asked.number, .performDefaultHandling))
        let last = try #require(bench.effects.downloads.last).attempt
        #expect(challenge(&bench, last).bodies == [0], "the refusal is the result")
    }

    @Test("A question that is declined ends the task; a question survives a pause and a restart")
    func declined() throws {
        var bench = Bench()
        var connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        guard case .challenge(let asked)? = challenge(&bench, attempt).deliveries.last?.kind else {
            return missing("no question")
        }
        bench.ask(connection, .suspend(session: "s", task: 1))
        bench.restart()
        connection = bench.open()
        bench.ask(connection, .resume(session: "s", task: 1))
        #expect(bench.system.status(attempt.transfer, at: bench.now)?.waitingFor == .credential)
        bench.drain(connection)
        bench.ask(
            connection, .credential(session: "s", task: 1, challenge: asked.number, .cancelAuthenticationChallenge))
        #expect(bench.drain(connection).words == ["completed -999"])
    }
}
