import Model
import Testing
import TransferCore

@Suite("Trying again") struct RetryTests {
    /// A download that runs, with its try.
    private func running(_ bench: inout Bench, _ creation: TransferCreation = Bench.download()) throws -> AttemptID {
        let connection = bench.open()
        return try #require(bench.begin(creation, on: connection).downloads.first).attempt
    }

    @Test("The longest wait doubles from a second to five minutes")
    func longest() {
        let rules = TransferRules()
        #expect([1, 2, 3, 9, 10, 500].map { rules.longestWait(failures: $0).seconds } == [1, 2, 4, 256, 300, 300])
    }

    @Test("The wait is jittered over all of its length", arguments: [UInt64](1...20))
    func jitter(_ seed: UInt64) throws {
        var bench = Bench(seed: seed)
        var attempt = try running(&bench)
        var waits: [Double] = []
        for failures in 1...12 {
            bench.send(.failed(attempt, .connectionLost))
            let next = try #require(bench.system.status(attempt.transfer, at: bench.now)?.next)
            waits.append(Double(next.nanoseconds - bench.wall.nanoseconds) / 1e9)
            let longest = bench.rules.longestWait(failures: Int32(failures)).seconds
            #expect(waits[failures - 1] >= 0.1 && waits[failures - 1] <= longest)
            let again = bench.passToDownload()
            attempt = try #require(again).attempt
        }
        #expect(Set(waits).count == waits.count)
    }

    @Test("A byte on the disk makes the next failure the first again")
    func progress() throws {
        var bench = Bench()
        var attempt = try running(&bench)
        for _ in 1...6 {
            bench.send(.failed(attempt, .timedOut))
            let again = bench.passToDownload()
            attempt = try #require(again).attempt
        }
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 10))
        bench.send(.failed(attempt, .connectionLost))
        #expect(bench.system.status(attempt.transfer, at: bench.now)?.record.failures == 1)
        let again = try #require(bench.pass(1).downloads.first)
        #expect(again.order.offset == 10)
        #expect(again.order.validator == .etag("\"1\""))
    }

    @Test("An app hears the last of so many answers that might have been better the next time, if they come in a row")
    func refusals() throws {
        var bench = Bench()
        var attempt = try running(&bench)
        let head = ResponseHead(status: 500, headers: [HeaderField("Content-Length", "3")])
        func refuse(_ times: Int32) throws {
            for _ in 0..<times {
                let effects = bench.send(.responseHead(attempt, head, challenge: nil))
                #expect(!effects.contains { if case .receiveBody = $0 { true } else { false } })
                let again = bench.passToDownload()
                attempt = try #require(again).attempt
            }
        }
        try refuse(bench.rules.mostRefusals - 1)
        // Another answer in between, whose connection is lost.
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.failed(attempt, .connectionLost))
        let another = bench.passToDownload()
        attempt = try #require(another).attempt
        try refuse(bench.rules.mostRefusals - 1)
        bench.send(.responseHead(attempt, head, challenge: nil))
        bench.send(.responseEnded(attempt, offset: 3, digest: .unknown))
        let record = bench.system.status(attempt.transfer, at: bench.now)?.record
        #expect(record == nil || record?.response?.status == 500)
        let last = bench.passToDownload()
        #expect(last == nil, "it is not tried again")
    }

    @Test("A download with a range of its own begins anew after a break, and gets what it asked for")
    func ownRange() throws {
        var bench = Bench()
        var creation = Bench.download()
        creation.request.headers.append(HeaderField("range", "bytes=1000-1999"))
        var attempt = try running(&bench, creation)
        let head = ResponseHead(
            status: 206,
            headers: [
                HeaderField("Content-Range", "bytes 1000-1999/4000"), HeaderField("Content-Length", "1000"),
                HeaderField("ETag", "\"1\""),
            ])
        bench.send(.responseHead(attempt, head, challenge: nil))
        bench.send(.durable(attempt, offset: 10))
        bench.send(.failed(attempt, .connectionLost))
        let next = bench.passToDownload()
        let again = try #require(next)
        #expect(again.order.offset == 0 && again.order.validator == nil)
        attempt = again.attempt
        bench.send(.responseHead(attempt, head, challenge: nil))
        bench.send(.responseEnded(attempt, offset: 1000, digest: .unknown))
        let last = bench.passToDownload()
        #expect(last == nil, "it is complete")
    }

    @Test("Retry-After is obeyed")
    func retryAfter() throws {
        var bench = Bench()
        let attempt = try running(&bench)
        let head = ResponseHead(status: 429, headers: [HeaderField("Retry-After", "100")])
        bench.send(.responseHead(attempt, head, challenge: nil))
        #expect(bench.pass(99.9).downloads.isEmpty)
        #expect(bench.pass(0.2).downloads.count == 1)
    }

    @Test("What came before a 503 is kept, what came before a 404 gives way to what the server says")
    func errorBodies() throws {
        var bench = Bench()
        var attempt = try running(&bench)
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        bench.send(.failed(attempt, .connectionLost))
        attempt = try #require(bench.pass(1).downloads.first).attempt
        let busy = bench.send(.responseHead(attempt, ResponseHead(status: 503), challenge: nil))
        #expect(busy.stopped == [attempt] && busy.bodies.isEmpty)
        attempt = try #require(bench.pass(2).downloads.first).attempt
        let gone = bench.send(.responseHead(attempt, ResponseHead(status: 404), challenge: nil))
        #expect(gone.bodies == [0])
        bench.send(.durable(attempt, offset: 20))
        bench.restart()
        #expect(try #require(bench.effects.downloads.last).order.offset == 0, "what the server said is not continued")
    }

    @Test("A failure that does not pass ends the task with its code", arguments: NetworkFailure.allCases)
    func failures(_ failure: NetworkFailure) throws {
        var bench = Bench()
        let attempt = try running(&bench)
        let events = bench.send(.failed(attempt, failure)).deliveries
        guard !failure.isPassing else {
            #expect(events.isEmpty)
            return
        }
        guard case .completed(let task) = try #require(events.first).kind else {
            return missing("nobody is told of \(failure)")
        }
        #expect(task.error?.code == failure.code)
        #expect((task.error?.code ?? 0) < -999)
    }

    @Test("No byte for as long as a request may take is a failure; any sign of life begins that anew")
    func requestTimeout() throws {
        var bench = Bench()
        let attempt = try running(&bench)
        bench.pass(59)
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.pass(59)
        bench.send(.received(attempt, total: 1))
        #expect(bench.pass(59).stopped.isEmpty)
        #expect(bench.pass(1.1).stopped == [attempt])
    }

    @Test("The time for the whole transfer ends it, with what a later one can go on with")
    func resourceTimeout() throws {
        var configuration = TransferConfiguration()
        configuration.resourceTimeout = .seconds(3600)
        var bench = Bench()
        let connection = bench.open(configuration)
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        let effects = bench.pass(3601)
        guard case .completed(let task) = try #require(effects.deliveries.first).kind else {
            return missing("it has not ended")
        }
        #expect(task.error?.code == -1001)
        #expect(task.resumeData?.offset == 500)
    }

    @Test("A full disk loses nothing: it waits, and goes on where it was", arguments: FileFailure.allCases)
    func disk(_ failure: FileFailure) throws {
        var bench = Bench()
        let attempt = try running(&bench)
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        bench.send(.fileFailed(attempt, failure))
        #expect(bench.system.status(attempt.transfer, at: bench.now)?.waitingFor == .quota)
        #expect(bench.pass(29).downloads.isEmpty)
        #expect(bench.pass(2).downloads.first?.order.offset == 500)
    }

    @Test("A disk that stays full until the end is what the task ends with")
    func fullToTheEnd() throws {
        var configuration = TransferConfiguration()
        configuration.resourceTimeout = .seconds(20)
        var bench = Bench()
        let connection = bench.open(configuration)
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.fileFailed(attempt, .diskFull))
        guard case .completed(let task) = try #require(bench.pass(21).deliveries.first).kind else {
            return missing("it has not ended")
        }
        #expect(task.error?.code == -3003)
    }

    @Test("Another network is another chance for what the old one failed, not for what a server refused")
    func anotherNetwork() throws {
        var bench = Bench()
        let connection = bench.open()
        let lost = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        let busy = try #require(bench.begin(Bench.download(2), on: connection).downloads.first).attempt
        bench.send(.failed(lost, .cannotConnect))
        let head = ResponseHead(status: 503, headers: [HeaderField("Retry-After", "1000")])
        bench.send(.responseHead(busy, head, challenge: nil))
        let effects = bench.setConditions { $0.network = .wired }
        #expect(effects.downloads.map(\.attempt.transfer) == [lost.transfer])
    }

    @Test("What is shorter than it was said to be is not complete")
    func short() throws {
        var bench = Bench()
        let attempt = try running(&bench)
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        let effects = bench.send(.responseEnded(attempt, offset: 700, digest: .unknown))
        #expect(effects.moves.isEmpty && effects.deliveries.isEmpty)
        #expect(bench.pass(1).downloads.first?.order.offset == 700)
    }

    @Test("What its checksum does not fit is fetched again, and given up after three times")
    func digest() throws {
        var bench = Bench()
        var attempt = try running(&bench)
        for _ in 1...2 {
            bench.send(.responseHead(attempt, .ok(10), challenge: nil))
            bench.send(.responseEnded(attempt, offset: 10, digest: .differs))
            let again = try #require(bench.pass(10).downloads.first)
            #expect(again.order.offset == 0)
            attempt = again.attempt
        }
        bench.send(.responseHead(attempt, .ok(10), challenge: nil))
        let events = bench.send(.responseEnded(attempt, offset: 10, digest: .differs)).deliveries
        guard case .completed(let task) = try #require(events.first).kind else { return missing("it goes on") }
        #expect(task.error?.code == -1016)
    }

    @Test("A part file that is shorter than its record is not trusted at all")
    func shortFile() throws {
        var bench = Bench()
        let attempt = try running(&bench)
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        bench.restart()
        let again = try #require(bench.effects.downloads.last)
        #expect(again.order.offset == 500)
        bench.send(.fileIsShort(again.attempt, length: 400))
        #expect(bench.pass(1).downloads.first?.order.offset == 0)
    }

    @Test("News of an earlier try touches nobody")
    func lateNews() throws {
        var bench = Bench()
        let early = try running(&bench)
        bench.send(.failed(early, .connectionLost))
        let present = try #require(bench.pass(1).downloads.first).attempt
        for event: TransferEvent in [
            .responseHead(early, .ok(10), challenge: nil), .durable(early, offset: 5), .failed(early, .timedOut),
            .responseEnded(early, offset: 10, digest: .matches), .fileFailed(early, .diskFull),
        ] {
            #expect(bench.send(event).isEmpty)
        }
        #expect(bench.send(.responseHead(present, .ok(10), challenge: nil)).bodies == [0])
    }
}
