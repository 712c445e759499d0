import Model
import Testing
import TransferCore
import TransferSimulation

@Suite("Sessions") struct SessionTests {
    @Test("A session that is open on a live connection is not opened on another one, but again on its own")
    func openTwice() {
        var bench = Bench()
        let first = bench.open()
        let second = bench.attach()
        let open = ClientRequest.open(session: "s", TransferConfiguration())
        #expect(bench.ask(second, open) == .failure(.sessionIsOpenElsewhere))
        guard case .success(.opened(_, _, _, isNew: false)) = bench.ask(first, open) else {
            return missing("not opened again")
        }
        bench.send(.detached(first))
        guard case .success(.opened) = bench.ask(second, open) else {
            return missing("not opened after the first went")
        }
        let stranger = bench.attach(podcasts)
        guard case .success(.opened(_, _, _, isNew: true)) = bench.ask(stranger, open) else {
            return missing("another app's session of the same name is another session")
        }
    }

    @Test("A connection of nobody, and a session that is not open, are refused")
    func strangers() {
        var bench = Bench()
        let connection = bench.attach()
        #expect(bench.ask(ConnectionID(99), .resume(session: "s", task: 1)) == .failure(.notAttached))
        #expect(bench.ask(connection, .create(session: "s", Bench.download())) == .failure(.sessionIsNotOpen))
        let other = bench.open(app: podcasts)
        bench.ask(other, .create(session: "s", Bench.download()))
        #expect(
            bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: false))
                == .failure(.sessionIsNotOpen))
    }

    @Test("Whoever opens a session again finds its tasks, and the number of the next")
    func reopen() {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1), on: connection)
        bench.ask(connection, .create(session: "s", Bench.download(4)))
        bench.restart()
        let next = bench.attach()
        guard
            case .success(.opened(_, let number, let tasks, isNew: false)) = bench.ask(
                next, .open(session: "s", TransferConfiguration()))
        else { return missing("not opened") }
        #expect(number == 5)
        #expect(tasks.tasks.map(\.record.number) == [1, 4])
        #expect(tasks.tasks.map(\.state) == [.running, .suspended])
        #expect(!tasks.hasMore)
    }

    @Test("Thousands of tasks are told in pages, and nothing else before the last; a new connection begins anew")
    func pages() throws {
        var rules = TransferRules()
        rules.longestPage = 5000
        var bench = Bench(rules: rules)
        var connection = bench.open()
        for number in 1...30 { bench.ask(connection, .create(session: "s", Bench.download(Int64(number)))) }
        bench.ask(connection, .cancel(session: "s", task: 29, producesResumeData: false))
        bench.forgetEffects()
        for isLast in [false, true] {
            bench.send(.detached(connection))
            connection = bench.attach()
            guard
                case .success(.opened(_, 31, var page, isNew: false)) = bench.ask(
                    connection, .open(session: "s", TransferConfiguration()))
            else { return missing("not opened") }
            var numbers = page.tasks.map(\.record.number)
            while page.hasMore, isLast || numbers.count < 15 {
                #expect(bench.effects.deliveries.isEmpty)
                guard
                    case .success(.tasks(let next)) = bench.ask(
                        connection, .tasks(session: "s", after: numbers.last ?? 0))
                else { return missing("no page") }
                page = next
                numbers += page.tasks.map(\.record.number)
            }
            #expect(numbers == Array(1...Int64(numbers.count)) && page.hasMore == !isLast)
        }
        #expect(bench.effects.deliveries.words == ["completed -999"])
        #expect(bench.ask(bench.attach(), .tasks(session: "s", after: 0)) == .failure(.sessionIsNotOpen))
    }

    @Test("Every request may come twice: the second has no effect, and an upload's second file goes")
    func twice() {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(), on: connection)
        #expect(bench.begin(Bench.download(), on: connection).downloads.isEmpty)
        #expect(bench.system.transfers.count == 1)
        bench.begin(Bench.upload(2, file: 7), on: connection)
        bench.ask(connection, .create(session: "s", Bench.upload(2, file: 8)))
        #expect(bench.effects.removed == [.body(8)])
        #expect(bench.system.filesInUse.contains(.body(7)))
        bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: false))
        bench.drain(connection)
        #expect(
            bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: false))
                == .success(.cancelled(nil)))
        #expect(bench.ask(connection, .resume(session: "s", task: 1)) == .success(.done))
        #expect(bench.ask(connection, .create(session: "s", Bench.download(1))) == .success(.done))
        #expect(bench.system.transfers.count == 1, "a number is never given again")
        #expect(bench.ask(connection, .resume(session: "s", task: 9)) == .failure(.noSuchTask))
    }

    @Test("A session that is to end takes no more tasks, and says so when the last has been told")
    func invalidate() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.ask(connection, .invalidate(session: "s", cancels: false))
        #expect(bench.ask(connection, .create(session: "s", Bench.download(2))) == .failure(.sessionIsInvalid))
        _ = bench.complete(attempt)
        #expect(bench.drain(connection).words == ["finished", "completed", "invalidated"])
        #expect(bench.system.sessionID(journal, "s") == nil)
        guard
            case .success(.opened(_, 1, let page, isNew: true)) = bench.ask(
                connection, .open(session: "s", TransferConfiguration())), page.tasks.isEmpty
        else { return missing("no new session") }
    }

    @Test("A session that is cancelled ends its tasks first")
    func cancel() {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1), on: connection)
        bench.begin(Bench.upload(2), on: connection)
        bench.ask(connection, .invalidate(session: "s", cancels: true))
        #expect(bench.drain(connection).words == ["completed -999", "completed -999", "invalidated"])
        #expect(bench.system.filesInUse.isEmpty)
    }

    @Test("A session of the same name after an invalidation that nobody heard of is a session again")
    func revive() {
        var bench = Bench()
        let connection = bench.open()
        bench.ask(connection, .invalidate(session: "s", cancels: false))
        bench.send(.detached(connection))
        let next = bench.open()
        #expect(bench.begin(Bench.download(), on: next).downloads.count == 1)
    }

    @Test("Suspended and resumed, a download goes on where it was")
    func suspend() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.responseHead(attempt, .ok(1000), challenge: nil))
        bench.send(.durable(attempt, offset: 500))
        bench.ask(connection, .suspend(session: "s", task: 1))
        #expect(bench.effects.stopped == [attempt])
        #expect(bench.pass(3600).downloads.isEmpty)
        bench.restart()
        let next = bench.open()
        bench.ask(next, .resume(session: "s", task: 1))
        #expect(bench.effects.downloads.last?.order.offset == 500)
    }

    @Test("What no client may say is refused, and the file that came with it goes")
    func limits() {
        var rules = TransferRules()
        rules.mostSessionsPerApp = 2
        rules.mostTasksPerSession = 2
        var bench = Bench(rules: rules)
        let connection = bench.open("a")
        bench.ask(connection, .open(session: "b", TransferConfiguration()))
        let open = { ClientRequest.open(session: $0, TransferConfiguration()) }
        #expect(bench.ask(connection, open("c")) == .failure(.tooMuch("sessions")))
        for name in ["", String(repeating: "x", count: 256)] {
            guard case .failure(.invalid("session", _)) = bench.ask(connection, open(name)) else {
                return missing("a session of \(name.count) characters")
            }
        }
        var many: [TransferCreation] = []
        for _ in 0..<10 { many.append(Bench.download()) }
        many[0].request.url = "https://h/" + String(repeating: "a", count: 9000)
        many[1].request.url = "https://h/\r\nHost: other"
        many[2].request.method = "GET / HTTP/1.1"
        many[3].request.headers = [HeaderField("X", "a\r\nY: b")]
        many[4].request.headers = [HeaderField("X:", "a")]
        many[5].request.headers = Array(repeating: HeaderField("X", "a"), count: 101)
        many[6].request.body = Array(repeating: 0, count: 70_000)
        many[7].description = String(repeating: "a", count: 5000)
        many[8].number = 0
        many[9].request.timeout = .zero
        for (place, creation) in many.enumerated() {
            guard case .failure = bench.ask(connection, .create(session: "a", creation)) else {
                return missing("creation \(place) is not refused")
            }
        }
        #expect(bench.system.transfers.isEmpty)
        bench.ask(connection, .create(session: "a", Bench.download(1)))
        bench.ask(connection, .create(session: "a", Bench.download(2)))
        #expect(
            bench.ask(connection, .create(session: "a", Bench.upload(3, file: 5)))
                == .failure(.tooMuch("tasks of a session")))
        #expect(bench.effects.removed == [.body(5)])
    }

    @Test(
        "An address that nobody can fetch is an error of the task", arguments: ["ftp://h/", "file:///etc/passwd", "x"])
    func unsupported(_ url: String) {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1, url), on: connection)
        #expect(bench.drain(connection).words == ["completed -1002"])
    }

    @Test("What the user ends is told at the next launch, with its reason, and wakes nobody")
    func userEnded() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(), on: connection)
        bench.send(.detached(connection))
        bench.send(.userEnded(journal))
        bench.send(.appState(journal, .none))
        bench.restart()
        bench.pass(3600)
        #expect(bench.effects.announcements.isEmpty)
        let next = bench.open()
        let told = bench.drain(next)
        guard case .completed(let task) = try #require(told.first).kind else { return missing("nothing is told") }
        #expect(task.error?.reason == .userForceQuit)
    }

    @Test("An app that is removed leaves nothing")
    func forgotten() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.begin(Bench.upload(2), on: connection)
        bench.send(.responseHead(attempt, .ok(10), challenge: nil))
        bench.send(.durable(attempt, offset: 5))
        bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: true))
        let effects = bench.send(.forgotten(journal, RequestID(999)))
        #expect(effects.contains(.reply(RequestID(999), .done)))
        #expect(bench.store.isEmpty && bench.store.events.values.allSatisfy(\.isEmpty))
        #expect(bench.system.filesInUse.isEmpty)
        #expect(effects.removed.count >= 2)
    }
}
