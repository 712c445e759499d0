import Model
import Testing
import TransferCore

@Suite("Requests that were delayed") struct DelayedRequestTests {
    private static var asking: TransferConfiguration {
        var configuration = TransferConfiguration()
        configuration.asksBeforeDelayedRequests = true
        return configuration
    }

    /// A download that begins in a hundred seconds.
    private func begin(_ bench: inout Bench, presence: AppPresence = .foreground) -> ConnectionID {
        let connection = bench.open("s", presence: presence, Self.asking)
        bench.begin(Bench.download(earliestBegin: bench.wall(in: 100)), on: connection)
        return connection
    }

    private func question(_ bench: Bench) throws -> EventDelivery {
        let event = try #require(bench.effects.deliveries.last)
        #expect([event].words == ["delayedRequest"])
        return event
    }

    private func decide(
        _ bench: inout Bench, _ connection: ConnectionID, _ decision: DelayedDecision
    ) throws -> [TransferEffect] {
        let event = try question(bench)
        return bench.send(.decided(connection, event.sessionID, event.number, decision))
    }

    @Test("When the time has come the delegate is asked with the request, and the server once it has answered")
    func asked() throws {
        var bench = Bench()
        let connection = begin(&bench)
        #expect(bench.effects.deliveries.isEmpty)
        let due = bench.pass(101)
        #expect(due.downloads.isEmpty)
        guard case .delayedRequest(let request) = try question(bench).kind else { return missing("no request") }
        #expect(request.url == "https://example.org/a")
        let why = try #require(bench.system.why(TransferID(1), at: bench.now))
        #expect(why.condition == .delegate && why.sentence.contains("whether the request still holds"))
        #expect(bench.pass(600).downloads.isEmpty)
        let begun = try #require(decide(&bench, connection, .continueLoading).downloads.first)
        #expect(begun.order.request.url == "https://example.org/a")
        bench.send(.failed(begun.attempt, .connectionLost))
        #expect(bench.passToDownload() != nil, "a retry is no beginning")
        #expect(bench.effects.deliveries.count == 1)
    }

    @Test("It is asked when nothing else is missing any more")
    func ready() throws {
        var bench = Bench(conditions: TransferConditions(network: .none))
        _ = begin(&bench)
        #expect(bench.pass(200).deliveries.isEmpty)
        #expect(bench.setConditions { $0.network = .wifi }.deliveries.words == ["delayedRequest"])
    }

    @Test("Another request takes the place of the first, for good")
    func replaced() throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        let new = TransferRequest(url: "https://example.com/new", headers: [HeaderField("A", "b")])
        let begun = try #require(decide(&bench, connection, .useNewRequest(new)).downloads.first)
        #expect(begun.order.request == new)
        bench.restart()
        #expect(bench.effects.downloads.last?.order.request == new)
        #expect(bench.effects.deliveries.count == 1)
    }

    @Test("A request that is none ends the task", arguments: ["ftp://example.org/", "", "https://example.org/\n"])
    func refused(_ url: String) throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        _ = try decide(&bench, connection, .useNewRequest(TransferRequest(url: url)))
        #expect(bench.effects.deliveries.last.map { [$0].words } == ["completed -1002"])
    }

    @Test("A delegate that thinks better of it cancels the task")
    func cancelled() throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        #expect(try decide(&bench, connection, .cancel).deliveries.words == ["completed -999"])
    }

    @Test("Nobody is asked of a date that had passed, without a date, or who does not want to be asked")
    func notAsked() {
        var bench = Bench()
        let connection = bench.open(Self.asking)
        #expect(bench.begin(Bench.download(1), on: connection).downloads.count == 1)
        let past = Bench.download(2, earliestBegin: bench.wall(in: -5))
        #expect(bench.begin(past, on: connection).downloads.count == 1)
        let other = bench.open("t")
        bench.begin(Bench.download(1, earliestBegin: bench.wall(in: 5)), on: other, session: "t")
        #expect(bench.pass(6).downloads.count == 1)
        #expect(bench.effects.deliveries.isEmpty)
    }

    @Test("An app that is gone is woken to be asked, and again after a restart as long as it has not answered")
    func woken() throws {
        var bench = Bench()
        let first = begin(&bench)
        bench.send(.appState(journal, .none))
        bench.send(.detached(first))
        #expect(bench.pass(101).announcements.map(\.reason) == [.authentication])
        var connection = bench.open("s", presence: .background, Self.asking)
        let before = try question(bench)
        bench.restart()
        connection = bench.open("s", presence: .background, Self.asking)
        #expect(try question(bench) == before)
        #expect(try decide(&bench, connection, .continueLoading).downloads.count == 1)
        #expect(bench.drain(connection).words.last == "finishedEvents")
    }

    @Test("An answer without a decision lets it begin; one to another question does nothing")
    func strayAnswers() throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        let event = try question(bench)
        #expect(bench.send(.decided(connection, event.sessionID, event.number + 1, .cancel)).isEmpty)
        #expect(bench.send(.delivered(connection, event.sessionID, event.number)).downloads.count == 1)
        #expect(bench.send(.decided(connection, event.sessionID, event.number, .cancel)).isEmpty)
    }

    @Test("A question stays open while the task is suspended, and goes with it when it ends")
    func suspended() throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        bench.ask(connection, .suspend(session: "s", task: 1))
        bench.ask(connection, .resume(session: "s", task: 1))
        #expect(bench.system.status(TransferID(1), at: bench.now)?.waitingFor == .delegate)
        bench.send(.appState(journal, .suspended))
        bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: false))
        bench.send(.detached(connection))
        let again = bench.open("s", Self.asking)
        // It was on its way before the task ended, and comes before the end.
        #expect(bench.drain(again).words == ["delayedRequest", "completed -999"])
    }

    @Test("Put off again, it is asked again; a delegate that does not want to be asked any more is not")
    func again() throws {
        var bench = Bench()
        let connection = begin(&bench)
        bench.pass(101)
        bench.ask(connection, .suspend(session: "s", task: 1))
        _ = try decide(&bench, connection, .continueLoading)
        let later = TransferChange(earliestBegin: bench.wall(in: 50))
        bench.ask(connection, .change(session: "s", task: 1, later))
        bench.ask(connection, .resume(session: "s", task: 1))
        #expect(bench.pass(51).deliveries.words == ["delayedRequest"])
        bench.send(.detached(connection))
        bench.forgetEffects()
        let indifferent = bench.open()
        #expect(bench.effects.downloads.count == 1)
        #expect(bench.drain(indifferent).isEmpty)
    }
}
