import Foundation
import Model
import Testing
import TransferCore
import TransferSimulation

@Suite("What is stored") struct RestoringTests {
    /// A system with one of everything.
    private func busy() throws -> Bench {
        var bench = Bench()
        let connection = bench.open()
        let first = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.send(.responseHead(first, .ok(1000), challenge: nil))
        bench.send(.durable(first, offset: 600))
        bench.ask(connection, .cancel(session: "s", task: 1, producesResumeData: true))
        let second = try #require(bench.begin(Bench.download(2), on: connection).downloads.first).attempt
        let space = ChallengeSpace(host: "h", port: 443, scheme: "https", realm: nil, method: "basic")
        bench.send(.responseHead(second, ResponseHead(status: 401), challenge: space))
        bench.begin(Bench.upload(3), on: connection)
        let third = try #require(bench.effects.uploads.last).attempt
        bench.send(.uploadResumable(third, resource: "https://example.org/r/1"))
        bench.ask(connection, .create(session: "s", Bench.download(4, earliestBegin: bench.wall(in: 9))))
        let fifth = try #require(bench.begin(Bench.download(5), on: connection).downloads.first).attempt
        bench.send(.responseHead(fifth, .ok(1000), challenge: nil))
        bench.send(.durable(fifth, offset: 300))
        return bench
    }

    private func coded<Value: Codable & Equatable>(_ value: Value) throws {
        #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test("Every record comes back as it was")
    func coding() throws {
        let records = try busy().store.stored.records
        #expect(records.count > 10)
        for record in records {
            switch record {
            case .app(let record): try coded(record)
            case .session(let record): try coded(record)
            case .task(let record): try coded(record)
            case .event(let record): try coded(record)
            case .kept(let record): try coded(record)
            case .counters(let record): try coded(record)
            case .offset: break
            }
        }
    }

    @Test("Another process goes on with everything where it was")
    func goesOn() throws {
        var bench = try busy()
        let files = bench.system.filesInUse
        let before = bench.system.transfers
        let effects = bench.restart()
        #expect(bench.system.transfers == before)
        #expect(bench.system.filesInUse == files)
        #expect(effects.downloads.map(\.order.offset) == [300])
        #expect(effects.uploads.map(\.order.step) == [.ask(resource: "https://example.org/r/1")])
        #expect(bench.system.status(TransferID(2), at: bench.now)?.waitingFor == .credential)
        #expect(bench.system.status(TransferID(4), at: bench.now)?.state == .suspended)
    }

    @Test("Under a clock that somebody set back, nothing waits longer than it ever may")
    func clockSetBack() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        bench.send(.failed(attempt, .connectionLost))
        var system = TransferSystem(restoring: bench.store.stored, seed: 3)
        _ = system.handle(.clockChanged(Bench.offset - .seconds(10_000_000)), at: bench.now)
        _ = system.handle(.conditions(TransferConditions()), at: bench.now)
        let deadline = try #require(system.status(TransferID(1), at: bench.now)?.record.deadline)
        let wall = bench.wall.nanoseconds - Span.seconds(10_000_000).nanoseconds
        #expect(Double(deadline.nanoseconds - wall) / 1e9 <= 7 * 86_400)
        let next = system.nextDeadline()
        #expect(try #require(next) <= bench.now + .seconds(6 * 3600))
    }

    @Test("A record of a session that is gone is left alone")
    func orphans() throws {
        var records = try busy().store.stored.records
        records.removeAll { if case .session = $0 { true } else { false } }
        let system = TransferSystem(restoring: StoredTransfers(records), seed: 1)
        #expect(system.transfers.isEmpty)
    }
}

@Suite("Uploads that can be continued") struct UploadTests {
    @Test("After a loss the server is asked how far it has come, and gets the rest")
    func resume() throws {
        var bench = Bench()
        let connection = bench.open()
        let (whole, _) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        bench.send(.uploadResumable(whole, resource: "https://example.org/r"))
        bench.send(.sent(whole, total: 700))
        bench.send(.failed(whole, .connectionLost))
        let (ask, order) = try #require(bench.pass(1).uploads.first)
        #expect(order.step == .ask(resource: "https://example.org/r"))
        let head = ResponseHead(
            status: 204, headers: [HeaderField("Upload-Offset", "600"), HeaderField("Upload-Complete", "?0")])
        let rest = bench.send(.responseHead(ask, head, challenge: nil))
        let (append, last) = try #require(rest.uploads.first)
        #expect(last.step == .append(resource: "https://example.org/r", offset: 600))
        bench.send(.responseHead(append, .ok(0), challenge: nil))
        bench.send(.responseEnded(append, offset: 0, digest: .unknown))
        let events = bench.drain(connection)
        #expect(events.words == ["completed"])
        guard case .completed(let task)? = events.last?.kind else { return missing("nothing is told") }
        #expect(task.sent == 1000 && task.error == nil)
    }

    @Test("An upload whose answer was lost is complete when the server says so")
    func lostAnswer() throws {
        var bench = Bench()
        let connection = bench.open()
        let (whole, _) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        bench.send(.uploadResumable(whole, resource: "https://example.org/r"))
        bench.send(.failed(whole, .connectionLost))
        let (ask, _) = try #require(bench.pass(1).uploads.first)
        let head = ResponseHead(
            status: 204, headers: [HeaderField("Upload-Offset", "1000"), HeaderField("Upload-Complete", "?1")])
        bench.send(.responseHead(ask, head, challenge: nil))
        #expect(bench.drain(connection).words == ["completed"])
    }

    @Test("A server that cannot continue gets all of it again, and one that never gets on is not asked at its pace")
    func fromZero() throws {
        var bench = Bench()
        let connection = bench.open()
        let (whole, _) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        bench.send(.failed(whole, .connectionLost))
        let (again, order) = try #require(bench.pass(1).uploads.first)
        #expect(order.step == .whole)
        bench.send(.uploadResumable(again, resource: "https://example.org/r"))
        bench.send(.failed(again, .connectionLost))
        let (ask, _) = try #require(bench.pass(4).uploads.first)
        let lost = bench.send(.responseHead(ask, ResponseHead(status: 404), challenge: nil))
        #expect(lost.uploads.isEmpty)
        #expect(bench.pass(10).uploads.first?.order.step == .whole)
    }

    @Test("A place to continue at that is no web address is none")
    func badResource() throws {
        var bench = Bench()
        let connection = bench.open()
        let (whole, _) = try #require(bench.begin(Bench.upload(), on: connection).uploads.first)
        bench.send(.uploadResumable(whole, resource: "file:///etc/passwd"))
        bench.send(.failed(whole, .connectionLost))
        #expect(bench.pass(1).uploads.first?.order.step == .whole)
    }
}
