import Dispatch
import Glibc
import LinuxSystem
import ServiceKit
import ServiceTesting
import Synchronization
import Testing
import Wire

/// A host on a queue of its own, and a daemon beside it.
private final class Bench {
    /// What the host says at its end.
    final class End: Sendable {
        private let value = Mutex<Bool?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func note(_ isDone: Bool) {
            value.withLock { $0 = isDone }
            semaphore.signal()
        }

        /// Whether nothing was left to do; `nil`: it has not ended in 20 s.
        func wait() -> Bool? {
            _ = semaphore.wait(timeout: .now() + 20)
            return value.withLock(\.self)
        }
    }

    let store: TestStore
    let host: ServiceHost<TestWorld>
    let end = End()
    private let folder: String
    private let listener: Descriptor
    private(set) var daemon: TestDaemon

    init(store: TestStore = TestStore(), idleExit: Double = 600) throws {
        self.store = store
        var template = Array("/tmp/greenroom-host-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TestPeer.Silence(waitedFor: "a folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        listener = try UnixSocket.listen(at: "\(folder)/daemon", mode: 0o600)
        try listener.setNonblocking(true)
        let queue = DispatchQueue(label: "greenroom.test")
        let broker = BrokerConnection(queue, name: "test", socket: "\(folder)/daemon", folder: folder)
        let host = try ServiceHost(
            "test", on: queue, broker: broker, store, world: TestWorld(), idleExit: idleExit
        ) { [end] in
            end.note($0)
        }
        self.host = host
        queue.async { host.start() }
        daemon = try TestDaemon(listener, ServiceConditions(network: .wifi, locked: true))
    }

    /// The daemon dies, and another one takes its place.
    func replaceDaemon() throws {
        daemon.peer.close()
        daemon = try TestDaemon(listener, nil)
    }

    func app(_ name: String = "app") throws -> TestPeer {
        try TestPeer(daemon.attach(name, "/tmp", modes: ["test"]))
    }

    func tool() throws -> TestPeer {
        let (mine, its) = try UnixSocket.pair()
        host.queue.sync { host.accept(its) }
        return try TestPeer(mine)
    }

    deinit {
        host.queue.sync { host.end() }
        // Nothing is left to say about a folder that stays.
        try? FileSystem.removeTree(folder)
    }
}

extension TestPeer {
    /// Has the policy do these things, and says what it answered: what had happened before, unless it is asked for
    /// something else.
    @discardableResult
    fileprivate func order(_ orders: String...) throws -> [String] {
        try ask("do", ["orders": .array(orders.map(JSONValue.string))]).strings("said")
    }

    /// Waits until this has happened to the policy.
    fileprivate func wait(for sentence: String) throws {
        let end = Clock.monotonic() + 20_000_000_000
        while try !order("nothing").contains(sentence) {
            guard Clock.monotonic() < end else { throw Silence(waitedFor: sentence) }
            // It comes by another connection: nothing on this one says when.
            try hear(milliseconds: 5)
        }
    }
}

@Suite("The host of a service")
struct ServiceHostTests {
    @Test("The policy hears the clock first, then the device's state, and the world begins with the daemon")
    func beginning() throws {
        let bench = try Bench()
        let app = try bench.app()
        let happened = try app.order("nothing")
        #expect(happened == ["clock", "locked true", "system attached", "own begins", "attached app true"])
        try bench.daemon.tell("app", "background")
        try app.wait(for: "background 1")
        try bench.replaceDaemon()
        try app.wait(for: "system detached")
        #expect(try app.order("nothing").count { $0 == "own begins" } == 1)
    }

    @Test("A record that cannot be stored refuses the request, everything else is done, and it is stored later")
    func fullDisk() throws {
        let bench = try Bench()
        let app = try bench.app()
        try app.order("store a 1")
        bench.store.fill(true)
        let error = #expect(throws: RPCError.self) { try app.order("store a 2", "own goes-on") }
        #expect(error?.message.contains("there is no room") == true)
        try app.wait(for: "own goes-on")
        // What may be lost with the machine's power is no reason to refuse.
        try app.order("store minor 1")
        #expect(bench.store.records == ["a": "1"])
        bench.store.fill(false)
        let end = Clock.monotonic() + 20_000_000_000
        while bench.store.records.count < 2, Clock.monotonic() < end { try app.hear(milliseconds: 20) }
        #expect(bench.store.records == ["a": "2", "minor": "1"])
    }

    @Test("A tool is refused while a promised record is not stored, also when its request changes nothing")
    func tools() throws {
        let bench = try Bench()
        let (app, tool) = (try bench.app(), try bench.tool())
        #expect(throws: RPCError.self) { try tool.order("nothing") }
        #expect(throws: RPCError.self) { try tool.ask("hello", ["protocol": 2]) }
        try tool.ask("hello", ["protocol": 3])
        #expect(throws: RPCError.self) { try tool.ask("hello", ["protocol": 3]) }
        #expect(try tool.ask("name")["name"]?.string == "test")
        bench.store.fill(true)
        #expect(throws: RPCError.self) { try app.order("store a 1") }
        #expect(throws: RPCError.self) { try tool.order("nothing") }
        try app.order("nothing")
        bench.store.fill(false)
        // Its request is what stores it.
        try tool.order("nothing")
        #expect(bench.store.records == ["a": "1"])
    }

    @Test("What waits for a daemon that dies is lost, and what is held is stated to the next one")
    func lostDaemon() throws {
        let bench = try Bench()
        let app = try bench.app()
        try app.order("hold")
        let (hold, params) = try bench.daemon.order("hold")
        #expect(try params.string("hold") == "keeping" && params.integer("process") == 1)
        try bench.daemon.peer.send(.response(id: hold, result: [:]))
        try app.wait(for: "held allowed")
        try app.order("hold", "wake", "ask other question")
        for name in ["hold", "wake", "ask"] { _ = try bench.daemon.order(name) }
        try bench.replaceDaemon()
        for lost in ["held lost", "woken 7 lost", "replied question lost"] { try app.wait(for: lost) }
        #expect(bench.daemon.hello["holds"]?.array?.count == 1)
    }

    @Test("The daemon's answers come back: an app that is woken or not, and another service's word")
    func answers() throws {
        let bench = try Bench()
        let app = try bench.app()
        let cases: [(RPCError?, String)] = [
            (nil, "woken 7 allowed"), (RPCError(.refused, ""), "woken 7 notNow"),
            (RPCError(.unknown, ""), "woken 7 never"),
        ]
        for (error, sentence) in cases {
            try app.order("wake")
            let (id, params) = try bench.daemon.wake()
            #expect(try params.string("window") == "called" && params.string("payload") == "7")
            try bench.daemon.peer.send(error.map { .failure(id: id, $0) } ?? .response(id: id, result: [:]))
            try app.wait(for: sentence)
        }
        try app.order("ask other why")
        let (id, params) = try bench.daemon.order("ask")
        #expect(try params.string("service") == "other" && params.string("method") == "question")
        try bench.daemon.peer.send(.response(id: id, result: [:]))
        try app.wait(for: "replied why heard")
        #expect(
            try bench.daemon.peer.ask("ask", ServiceAsk(service: "other", method: "say", params: ["text": "yes"]).json)
                .strings("said") == ["yes"])
        #expect(throws: RPCError.self) {
            try bench.daemon.peer.ask("ask", ServiceAsk(service: "other", method: "say", params: ["text": "no"]).json)
        }
    }

    @Test("What an app was told under a number it answers on any of its connections")
    func told() throws {
        let bench = try Bench()
        let (first, second) = (try bench.app(), try bench.app())
        try first.order("tell one", "notify two")
        let news = try first.take("news") { if case .request(_, "news", _) = $0 { true } else { false } }
        guard case .request(let id, _, _) = news else { return }
        _ = try first.take("a notice") { if case .notification("notice", _) = $0 { true } else { false } }
        first.close()
        try second.wait(for: "detached")
        try second.send(.response(id: id, result: ["text": "late"]))
        try second.wait(for: "answered 1 late")
    }

    @Test("An app has eight connections, tools have 64, and the rest is for other apps")
    func limits() throws {
        let bench = try Bench()
        let apps = try (0..<8).map { _ in try bench.app() }
        let error = #expect(throws: RPCError.self) { try bench.app() }
        #expect(error?.code == .tooMuch)
        apps[0].close()
        try apps[1].wait(for: "detached")
        _ = try bench.app()
        _ = try bench.app("another")
        let tools = try (0..<64).map { _ in try bench.tool() }
        try tools[63].ask("hello", ["protocol": 3])
        #expect(throws: (any Error).self) { try bench.tool().ask("hello", ["protocol": 3]) }
    }

    @Test("A service is stopped, an app is forgotten, and rubbish is answered with an error")
    func orders() throws {
        let bench = try Bench()
        let app = try bench.app()
        try bench.daemon.peer.ask("stop", ["app": "app", "hold": "keeping"])
        for params in [["app": "app", "hold": "nothing"], ["app": "no app", "hold": "keeping"], [:]] as [JSONValue] {
            #expect(throws: RPCError.self) { try bench.daemon.peer.ask("stop", params) }
        }
        #expect(throws: RPCError.self) { try bench.daemon.peer.ask("attach", ["app": "app"]) }
        #expect(throws: RPCError.self) { try app.ask("rubbish") }
        #expect(throws: RPCError.self) { try app.ask("do", ["orders": 1]) }
        try bench.daemon.peer.send(
            .notification(method: "windowEnded", params: ["app": "app", "window": "called", "result": "late"]))
        try bench.daemon.peer.send(.notification(method: "windowEnded", params: ["app": "app", "window": "none"]))
        try app.wait(for: "called late")
        let other = try bench.app("other")
        try bench.daemon.peer.send(.notification(method: "forget", params: ["app": "app"]))
        try other.wait(for: "forgotten app")
        #expect(throws: (any Error).self) { try app.order("nothing") }
    }

    @Test("It ends when nobody has needed it for a while, after its last records")
    func idle() throws {
        let bench = try Bench(idleExit: 1)
        let app = try bench.app()
        try app.order("wait")
        try app.wait(for: "timer")
        try app.order("store a 1")
        app.close()
        #expect(bench.end.wait() == true)
        #expect(bench.store.records == ["a": "1"])
    }

    @Test("A process after this one begins with its records")
    func records() throws {
        let store = TestStore()
        do {
            let bench = try Bench(store: store)
            try bench.app().order("store a 1", "store b 2", "erase a")
        }
        let bench = try Bench(store: store)
        #expect(try bench.app().order("records") == ["b 2"])
    }
}
