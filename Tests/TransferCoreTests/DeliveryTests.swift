import Model
import Testing
import TransferCore
import TransferSimulation

extension Bench {
    /// A delegate that returns from everything that it is told.
    @discardableResult
    mutating func drain(_ connection: ConnectionID) -> [EventDelivery] {
        var told: [EventDelivery] = []
        var pending: [TransferEffect] = effects.filter { !seen.contains($0) }
        while let effect = pending.first {
            pending.removeFirst()
            seen.insert(effect)
            switch effect {
            case .moveToClient(let id, _, _): pending += send(.fileMoved(id, path: "tmp/\(id.rawValue)"))
            case .deliver(connection, let event):
                told.append(event)
                pending += send(.delivered(connection, event.sessionID, event.number))
            default: continue
            }
        }
        return told
    }

    @discardableResult
    mutating func complete(_ attempt: AttemptID, length: Int64 = 10) -> [TransferEffect] {
        send(.responseHead(attempt, .ok(length), challenge: nil))
        return send(.responseEnded(attempt, offset: length, digest: .unknown))
    }
}

extension [EventDelivery] {
    var words: [String] {
        map { event in
            switch event.kind {
            case .resumedAt: "resumedAt"
            case .finished: "finished"
            case .completed(let task): task.error.map { "completed \($0.code)" } ?? "completed"
            case .challenge: "challenge"
            case .delayedRequest: "delayedRequest"
            case .finishedEvents: "finishedEvents"
            case .invalidated: "invalidated"
            }
        }
    }
}

@Suite("What delegates are told") struct DeliveryTests {
    @Test("A download is told as finished, then as completed, one at a time, and the file is brought before")
    func order() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        let ended = bench.complete(attempt)
        #expect(ended.deliveries.isEmpty)
        #expect(ended.moves.count == 1)
        let finished = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        guard case .finished("tmp/x", let response) = finished.kind else { return missing("not finished first") }
        #expect(response?.status == 200)
        #expect(bench.pass(60).deliveries.isEmpty, "one at a time")
        let returned = bench.send(.delivered(connection, finished.sessionID, finished.number))
        #expect(returned.contains(.removeFromClient(attempt.transfer, journal)))
        let completed = try #require(returned.deliveries.first)
        #expect([completed].words == ["completed"])
        bench.send(.delivered(connection, completed.sessionID, completed.number))
        #expect(bench.system.transfers.isEmpty)
        #expect(bench.store.tasks.isEmpty && bench.store.events.values.allSatisfy(\.isEmpty))
        #expect(bench.system.filesInUse.isEmpty)
    }

    @Test("What was not answered is told again to the next connection, under the same number, also after a restart")
    func redelivery() throws {
        var bench = Bench()
        var connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.complete(attempt)
        let first = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        bench.send(.detached(connection))
        connection = bench.attach()
        bench.ask(connection, .open(session: "s", TransferConfiguration()))
        let second = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        #expect(second.number == first.number)
        bench.restart()
        connection = bench.attach()
        bench.ask(connection, .open(session: "s", TransferConfiguration()))
        let third = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        #expect(third == second)
        #expect(bench.drain(connection).words.contains("completed"))
    }

    @Test("An answer to something else is none")
    func strayAnswers() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.complete(attempt)
        let event = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        let stranger = bench.attach(podcasts)
        #expect(bench.send(.delivered(stranger, event.sessionID, event.number)).isEmpty)
        #expect(bench.send(.delivered(connection, event.sessionID, event.number + 1)).isEmpty)
        #expect(bench.send(.delivered(connection, SessionID(99), event.number)).isEmpty)
        #expect(!bench.send(.delivered(connection, event.sessionID, event.number)).isEmpty)
        #expect(bench.send(.delivered(connection, event.sessionID, event.number)).isEmpty)
    }

    @Test("An app that is suspended hears nothing, and all when it runs again")
    func suspended() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.appState(journal, .suspended))
        bench.send(.responseHead(attempt, .ok(100), challenge: nil))
        let quiet =
            bench.send(.received(attempt, total: 50))
            + bench.send(.responseEnded(attempt, offset: 100, digest: .unknown))
        #expect(quiet.notes.isEmpty && quiet.deliveries.isEmpty && quiet.moves.isEmpty)
        bench.send(.appState(journal, .background))
        #expect(bench.drain(connection).words == ["finished", "completed", "finishedEvents"])
    }

    @Test("A task made from resume data is told where it goes on, once, and before anything else")
    func resumedAt() throws {
        var bench = Bench()
        let connection = bench.open()
        var attempt = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        guard
            case .success(.cancelled(let data?)) = bench.ask(
                connection, .cancel(session: "s", task: 1, producesResumeData: true))
        else { return missing("no resume data") }
        #expect(data.offset == 500 && data.expected == 1000)
        #expect(bench.drain(connection).words == ["completed -999"])
        var creation = Bench.download(2)
        creation.resumes = data
        let order = try #require(bench.begin(creation, on: connection).downloads.first)
        #expect(order.order.offset == 500)
        #expect(order.order.file == data.file)
        attempt = order.attempt
        bench.send(.responseHead(attempt, .partial(500, 1000), challenge: nil))
        bench.send(.failed(attempt, .connectionLost))
        attempt = try #require(bench.pass(2).downloads.first).attempt
        bench.send(.responseHead(attempt, .partial(500, 1000), challenge: nil))
        bench.send(.responseEnded(attempt, offset: 1000, digest: .unknown))
        #expect(bench.drain(connection).words == ["resumedAt", "finished", "completed"])
    }

    @Test("Resume data works once, for the app that has it, and not for ever")
    func resumeData() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        guard
            case .success(.cancelled(let data?)) = bench.ask(
                connection, .cancel(session: "s", task: 1, producesResumeData: true))
        else { return missing("no resume data") }
        var forged = data
        forged.offset = 600
        let other = bench.open(app: podcasts)
        for (where_, number, data) in [(other, 1, data), (connection, 2, forged)] as [(ConnectionID, Int64, ResumeData)]
        {
            var creation = Bench.download(number)
            creation.resumes = data
            #expect(bench.begin(creation, on: where_).downloads.first?.order.offset == 0)
        }
        bench.restart()
        #expect(bench.system.filesInUse.contains(data.file))
        #expect(bench.pass(8 * 86_400).removed.contains(data.file))
    }

    @Test("A file that its app removed is not waited for: the task ends with an error instead")
    func lostFile() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.complete(attempt)
        bench.send(.moveFailed(attempt.transfer, .diskFull))
        #expect(bench.pass(31).moves.count == 1, "a full disk is tried again")
        bench.send(.moveFailed(attempt.transfer, .targetGone))
        #expect(bench.effects.deliveries.words == ["completed -1100"])
    }

    @Test("An upload tells what the server said as its file, and how long that is")
    func upload() throws {
        var bench = Bench()
        let connection = bench.open()
        let (attempt, order) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        #expect(order.step == .whole)
        bench.send(.sent(attempt, total: 1000))
        #expect(bench.send(.responseHead(attempt, .ok(5), challenge: nil)).bodies == [0])
        bench.send(.received(attempt, total: 5))
        let ended = bench.send(.responseEnded(attempt, offset: 5, digest: .unknown))
        #expect(ended.removed == [.body(1)])
        bench.restart()
        let again = bench.open()
        let finished = try #require(bench.send(.fileMoved(attempt.transfer, path: "tmp/x")).deliveries.first)
        #expect([finished].words == ["finished"])
        bench.send(.delivered(again, finished.sessionID, finished.number))
        #expect(bench.restart().contains(.removeFromClient(attempt.transfer, journal)), "told, and perhaps still there")
        bench.forgetEffects()
        let told = bench.drain(bench.open())
        #expect(told.words == ["completed"])
        guard case .completed(let task)? = told.last?.kind else { return missing("not completed") }
        #expect(task.received == 5 && task.sent == 1000)
        #expect(bench.system.filesInUse.isEmpty)
    }

    @Test("An upload whose answer is longer than what is kept of one ends with an error, and is not sent again")
    func longAnswer() throws {
        var bench = Bench()
        let connection = bench.open()
        let (attempt, order) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        #expect(order.longestAnswer == bench.rules.longestUploadAnswer)
        bench.send(.responseHead(attempt, .ok(nil), challenge: nil))
        bench.send(.received(attempt, total: order.longestAnswer + 1))
        let ended = bench.send(.failed(attempt, .answerTooLong))
        #expect(ended.removed.contains(order.file))
        let told = bench.drain(connection)
        #expect(told.words == ["completed -1103"])
        guard case .completed(let task)? = told.last?.kind else { return missing("not completed") }
        #expect(task.response?.status == 200 && task.sent == 1000)
    }

    @Test("Progress is told ten times a second at most, with what came since, and the last before the end")
    func progress() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        var notes: [ProgressNote] = []
        for step in 1...100 {
            notes += bench.send(.received(attempt, total: Int64(step) * 9)).notes
            notes += bench.pass(0.01).notes
        }
        #expect((10...11).contains(notes.count))
        notes += bench.send(.responseEnded(attempt, offset: 1000, digest: .unknown)).notes
        #expect(notes.reduce(0) { $0 + $1.bytes } == 1000)
        #expect(notes.last?.total == 1000)
        #expect(notes.allSatisfy { $0.expected == 1000 })
    }
}
