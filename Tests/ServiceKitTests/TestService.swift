import Dispatch
import LinuxSystem
import Model
import ServiceCore
import ServiceKit
import ServiceWire
import Synchronization
import Wire

/// A service that does what an app or a tool tells it to do, and says what happened to it.
enum TestWords: ServiceWords {
    /// Orders, of which each leads to one effect.
    typealias Request = [String]
    typealias Command = [String]
    typealias Inquiry = String
    typealias Reply = [String]
    typealias News = String
    typealias Answer = String

    struct Notice: Hashable, Sendable { var text: String }
    struct Question: Hashable, Sendable { var text: String }

    typealias Event = String
    typealias Effect = String

    enum Hold: String, Sendable { case keeping }
    enum Window: String, Sendable { case called }

    struct Refusal: Error, Hashable {}

    struct Record: Hashable, Sendable {
        var key: String
        var value: String
    }

    typealias RecordKey = String

    static func key(of record: Record) -> String { record.key }
    static func durability(of key: String) -> RecordDurability { key.hasPrefix("minor") ? .process : .power }
}

struct TestPolicy: ServicePolicy {
    typealias Words = TestWords

    private var records: [String: String]
    private var happened: [String] = []
    private var apps: [ConnectionID: AppDescription] = [:]
    private var number: NewsNumber = 0
    private var isHolding = false
    var nextDeadline: Instant?

    init(restoring records: [TestWords.Record], _ start: ServiceStart) {
        self.records = Dictionary(records.map { ($0.key, $0.value) }) { $1 }
    }

    var isIdle: Bool { apps.isEmpty }

    var holds: [ServiceHold<TestWords.Hold>] {
        guard isHolding, let app = apps.values.first else { return [] }
        return [ServiceHold(app.app, process: app.process, .keeping, because: "it is told to")]
    }

    func brokenInvariants() -> [String] { [] }

    mutating func handle(_ event: ServiceEvent<TestWords>, at now: Instant) -> [ServiceEffect<TestWords>] {
        switch event {
        case .app(let connection, let request, let orders):
            return perform(orders, request, connection)
        case .tool(let request, let orders): return perform(orders, request, nil)
        case .asked(let request, let service, let text):
            happened.append("\(service) asks \(text)")
            return text == "no" ? [.refuse(request, TestWords.Refusal())] : [.reply(request, [text])]
        case .attached(let connection, let app):
            apps[connection] = app
            happened.append("attached \(app.app) \(app.hasKey)")
        case .detached(let connection):
            apps[connection] = nil
            happened.append("detached")
        case .stop(_, _, let order):
            isHolding = false
            return [.stopped(order)]
        case .timer:
            nextDeadline = nil
            happened.append("timer")
        case .held(_, _, let answer):
            if answer == .allowed { isHolding = true }
            happened.append("held \(answer)")
        case .woken(_, let number, let answer): happened.append("woken \(number) \(answer)")
        case .answered(_, let number, let answer): happened.append("answered \(number) \(answer)")
        case .replied(let question, let answer): happened.append("replied \(question.text) \(answer)")
        case .windowEnded(_, let window, let end): happened.append("\(window) \(end)")
        case .appState(_, let standing): happened.append("\(standing.state) \(standing.process)")
        case .clock: happened.append("clock")
        case .profile(let name): happened.append("profile \(name)")
        case .conditions(let facts): happened.append("locked \(facts.isLocked)")
        case .systemAttached: happened.append("system attached")
        case .systemDetached: happened.append("system detached")
        case .programStarted(let app): happened.append("program \(app.name)")
        case .closedByUser(_, let endsWork): happened.append("closed \(endsWork)")
        case .forgotten(let app): happened.append("forgotten \(app)")
        case .holdEnded: happened.append("hold ended")
        case .own(let text): happened.append("own \(text)")
        }
        return []
    }

    private mutating func perform(
        _ orders: [String], _ request: RequestID, _ connection: ConnectionID?
    ) -> [ServiceEffect<TestWords>] {
        var (stored, effects): ([ServiceEffect<TestWords>], [ServiceEffect<TestWords>]) = ([], [])
        var answer = happened
        let app = connection.flatMap { apps[$0] } ?? apps.values.first
        for order in orders {
            let words = order.split(separator: " ").map(String.init)
            switch (words[0], connection, app) {
            case ("store", _, _):
                records[words[1]] = words[2]
                stored.append(.store(TestWords.Record(key: words[1], value: words[2])))
            case ("erase", _, _):
                records[words[1]] = nil
                stored.append(.erase(words[1]))
            case ("records", _, _): answer = records.map { "\($0.key) \($0.value)" }.sorted()
            case ("tell", let connection?, _):
                number += 1
                effects.append(.tell(connection, number, words[1]))
            case ("notify", let connection?, _): effects.append(.notify(connection, TestWords.Notice(text: words[1])))
            case ("hold", _, let app?):
                effects.append(.hold(app.app, process: app.process, .keeping, because: "it is told to"))
            case ("drop", _, let app?):
                isHolding = false
                effects.append(.drop(app.app, process: app.process, .keeping, because: "it is told to"))
            case ("wake", _, let app?):
                effects.append(.wake(app.app, upTo: 7, .called, because: "it is told to", payload: "7"))
            case ("note", _, let app?): effects.append(.note(app.app, words[1]))
            case ("ask", _, _): effects.append(.ask(service: words[1], TestWords.Question(text: words[2])))
            case ("own", _, _): effects.append(.own(words[1]))
            case ("wait", _, _): nextDeadline = Instant(nanoseconds: Clock.boot() + 1_000_000)
            case ("refuse", _, _): return [.refuse(request, TestWords.Refusal())]
            default: continue
            }
        }
        return stored + effects + [.reply(request, answer)]
    }
}

enum TestOnWire: WireTranslation {
    typealias Words = TestWords

    static let version = 3

    static func request(_ method: String, _ params: JSONValue) throws(RPCError) -> [String] {
        guard method == "do" else { throw .methodNotFound(method) }
        return try params.strings("orders")
    }

    static func message(for news: String, _ number: NewsNumber) -> WireMessage {
        WireMessage("news", ["text": .string(news)])
    }

    static func message(for notice: TestWords.Notice) -> WireMessage {
        WireMessage("notice", ["text": .string(notice.text)])
    }

    static func answer(_ result: Result<JSONValue, RPCError>, to news: String?) -> String? {
        switch result {
        case .success(let value): value["text"]?.string
        case .failure(let error): error.message
        }
    }

    static func result(of reply: [String]) -> JSONValue { ["said": .array(reply.map(JSONValue.string))] }
    static func error(of refusal: TestWords.Refusal) -> RPCError { RPCError(.refused, "it is told to refuse") }

    static func inquiry(_ method: String, _ params: JSONValue) throws(RPCError) -> String {
        guard method == "say" else { throw .methodNotFound(method) }
        return try params.string("text")
    }

    static func message(for question: TestWords.Question) -> WireMessage {
        WireMessage("question", ["text": .string(question.text)])
    }
}

/// Everything happens in the process; the disk may be full.
final class TestStore: RecordStore {
    typealias Words = TestWords

    private let state = Mutex<(records: [String: String], isFull: Bool)>(([:], false))

    struct NoRoom: Error, CustomStringConvertible { let description = "there is no room" }

    var records: [String: String] { state.withLock { $0.records } }
    func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func load(_ report: (String) -> Void) -> [TestWords.Record] {
        records.map { TestWords.Record(key: $0.key, value: $0.value) }
    }

    func commit(_ changes: [RecordChange<TestWords>]) throws {
        try state.withLock { state in
            if state.isFull { throw NoRoom() }
            for change in changes {
                switch change {
                case .store(let record): state.records[record.key] = record.value
                case .erase(let key): state.records[key] = nil
                }
            }
        }
    }
}

final class TestWorld: ServiceWorld {
    typealias Policy = TestPolicy
    typealias Translation = TestOnWire

    static let mode = "test"

    func begin(_ host: isolated ServiceHost<TestWorld>) { host.post(.own("begins")) }
    func end() {}
    func perform(_ effect: String, _ host: isolated ServiceHost<TestWorld>) { host.post(.own(effect)) }

    func answer(
        _ method: String, _ params: JSONValue, _ host: isolated ServiceHost<TestWorld>
    ) throws(RPCError) -> ToolAnswer<TestWords> {
        switch method {
        case "do": return .command(try params.strings("orders"))
        case "name": return .value(["name": "test"])
        default: throw .methodNotFound(method)
        }
    }
}
