import AppRuntime
import Dispatch
import Foundation
import Synchronization
import Testing
import Wire

extension UIKitTests {
    @Suite("Ways of frameworks to services")
    struct ServiceConnectionTests {
        /// A system that gives every service the same number.
        private final class Link: AppLink {
            let greeting: JSONValue? = nil
            let asked = Mutex<[JSONValue]>([])

            func request(
                _ method: AppMethod, _ params: JSONValue,
                completion: @escaping @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void
            ) {}

            func requestAndWait(
                _ method: AppMethod, _ params: JSONValue, seconds: Double
            ) -> Result<JSONValue, RPCError>? { nil }

            func requestDescriptor(
                _ method: AppMethod, _ params: JSONValue, seconds: Double
            ) -> Result<CInt, RPCError>? {
                asked.withLock { $0.append(params) }
                return .success(77)
            }

            func stop() {}
        }

        private func connect(_ connections: ServiceConnections, seconds: Double) async -> CInt? {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let answer = connections.connect("transfers", seconds: seconds)
                    continuation.resume(returning: answer.flatMap { try? $0.get() })
                }
            }
        }

        @Test("Who wants a service before the app has begun waits for that, and then has it")
        func early() async {
            let (connections, link) = (ServiceConnections(), Link())
            async let first = connect(connections, seconds: 60)
            async let second = connect(connections, seconds: 60)
            connections.use(link)
            #expect(await first == 77)
            #expect(await second == 77)
            #expect(await connect(connections, seconds: 60) == 77)
            #expect(link.asked.withLock { $0 } == Array(repeating: ["service": "transfers"], count: 3))
        }

        @Test("Without a system nobody waits for longer than was said")
        func never() async {
            #expect(await connect(ServiceConnections(), seconds: 0.05) == nil)
        }

        @Test("What the app has set is written before a service hears anything that may end its work")
        func departure() {
            final class Silent: ServiceListener {
                func hello(running: [Int64]) -> JSONValue { .null }
                func greeted(_ answer: JSONValue) {}
                func refused(_ error: RPCError) {}
                func called(_ call: ServiceCall) {}
                func told(_ method: String, _ params: JSONValue) {}
            }
            let written = Mutex(0)
            Departure.use { written.withLock { $0 += 1 } }
            defer { Departure.use {} }
            let listener = Silent()
            let client = ServiceClient("sound", errand: "plays", listener: listener, connect: { nil })
            client.request("stop", ["stream": 1], isErrand: false) { _ in }
            #expect(written.withLock { $0 } == 1)
            client.stop()
        }

        @Test("What is out when an app begins keeps it running as well, and each end is told once")
        func errands() {
            let errands = ServiceErrands()
            let heard = Mutex<[String]>([])
            errands.set("early", isOut: true)
            errands.set("over", isOut: true)
            errands.set("over", isOut: false)
            errands.use { name, isOut in heard.withLock { $0.append("\(name) \(isOut)") } }
            errands.set("late", isOut: true)
            errands.set("early", isOut: false)
            #expect(heard.withLock { $0 } == ["early true", "late true", "early false"])
        }

        private final class Heard: Sendable {
            let lines = Mutex<[String]>([])
        }

        @Test("An answer that is handed over keeps the app running until the code that it resumes has had its turn")
        func turns() async {
            let errands = ServiceErrands()
            let heard = Heard()
            errands.use { name, isOut in heard.lines.withLock { $0.append("\(name) \(isOut)") } }
            errands.begin("asks")
            errands.begin("asks")
            let both = DispatchGroup()
            for number in 1...2 {
                both.enter()
                DispatchQueue.global().async {
                    Task { @MainActor in
                        heard.lines.withLock { $0.append("\(number)") }
                        both.leave()
                    }
                    errands.settle("asks")
                }
            }
            await withCheckedContinuation { continuation in
                both.notify(queue: .global()) { Turn.end { continuation.resume() } }
            }
            let all = heard.lines.withLock { $0 }
            #expect(all.first == "asks true" && all.last == "asks false")
            #expect(Set(all.dropFirst().dropLast()) == ["1", "2"] && all.count == 4)
        }
    }

    @Suite("The end of what a service wakes an app for", .timeLimit(.minutes(1)))
    struct WakeEndTests {
        /// Holds what the service asks, and the queue of the connection as long as a test wants it.
        private final class Listener: ServiceListener {
            let calls = Mutex<[ServiceCall]>([])
            let called = DispatchSemaphore(value: 0)
            let holds = DispatchSemaphore(value: 0)
            let goOn = DispatchSemaphore(value: 0)

            func hello(running: [Int64]) -> JSONValue { .null }
            func greeted(_ answer: JSONValue) {}
            func refused(_ error: RPCError) {}

            func called(_ call: ServiceCall) {
                calls.withLock { $0.append(call) }
                called.signal()
            }

            func told(_ method: String, _ params: JSONValue) {
                holds.signal()
                goOn.wait()
            }
        }

        /// A service in the same process.
        private final class Own: ServiceLink {
            let settled = Atomic(0)

            func start() {}
            func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {}
            func stop() {}

            func settle(_ done: @escaping @Sendable () -> Void) {
                settled.add(1, ordering: .sequentiallyConsistent)
                done()
            }
        }

        /// A service as one connection sees it.
        private final class Service: Sendable {
            private let socket: RawSocket
            private let framer = Mutex(LineFramer())

            init(_ socket: RawSocket) { self.socket = socket }

            func say(_ message: RPCMessage) { socket.send(message.encoded()) }
            func die() { socket.shutDown() }

            func next() throws -> RPCMessage {
                while true {
                    if let line = try framer.withLock({ try $0.next() }) { return try RPCMessage.parse(line) }
                    var (bytes, passengers) = ([UInt8](repeating: 0, count: 4096), [OwnedDescriptor]())
                    let count = try #require(socket.receive(into: &bytes, &passengers))
                    framer.withLock { $0.append(bytes.span.extracting(0..<count)) }
                }
            }

            func greet() throws {
                say(.response(id: try hello(), result: [:]))
            }

            func hello() throws -> RPCID {
                let first = try next()
                guard case .request(let id, "hello", _) = first else { throw Unexpected(message: first) }
                return id
            }
        }

        private struct Unexpected: Error {
            let message: RPCMessage
        }

        /// The sockets that the app gets, one after the other; it waits for them.
        private final class Offers: Sendable {
            let sockets = Mutex<[RawSocket]>([])
            let offered = DispatchSemaphore(value: 0)
        }

        private let listener = Listener()
        private let events = ServiceEvents()
        private let offers = Offers()

        private func offer() throws -> Service {
            let (app, service) = try #require(RawSocket.pair())
            offers.sockets.withLock { $0.append(app) }
            offers.offered.signal()
            return Service(service)
        }

        /// A service that has asked the app for something, which has not answered.
        private func serviceThatAsked() throws -> Service {
            let service = try offer()
            try service.greet()
            service.say(.request(id: .int(1), method: "tell", params: ["seq": 1]))
            listener.called.wait()
            return service
        }

        private func client() -> ServiceClient {
            let client = ServiceClient("wake", errand: "wakes", listener: listener) { [offers] in
                offers.offered.wait()
                return offers.sockets.withLock { $0.isEmpty ? nil : .connected($0.removeFirst()) }
            }
            client.start()
            return client
        }

        /// The app deals with what it was asked, and is done.
        private func wake(_ link: (any ServiceLink)?, _ done: @escaping @Sendable () -> Void) {
            events.register("wake", through: { link }) { [listener] _, done in
                for call in listener.calls.withLock({ $0 }) { call.answer(.success([:])) }
                done(.done)
            }
            _ = events.handle(ServiceEvents.Event(service: "wake", kind: "", payload: "1")) { _ in done() }
        }

        private func stop(_ client: ServiceClient) {
            client.stop()
            // It asks for no other connection.
            offers.offered.signal()
        }

        @Test("The app is not done before its answer is written, since it may be suspended then")
        func written() throws {
            let client = client()
            defer { stop(client) }
            let service = try serviceThatAsked()
            service.say(.notification(method: "hold", params: [:]))
            listener.holds.wait()
            let isDone = Atomic(false)
            let done = DispatchSemaphore(value: 0)
            wake(client) {
                isDone.store(true, ordering: .sequentiallyConsistent)
                done.signal()
            }
            let wasDone = isDone.load(ordering: .sequentiallyConsistent)
            #expect(!wasDone)
            listener.goOn.signal()
            done.wait()
            #expect(try service.next() == .response(id: .int(1), result: [:]))
        }

        @Test("Where the service has died, the app is done when its successor has the answer")
        func successor() throws {
            let client = client()
            defer { stop(client) }
            let first = try serviceThatAsked()
            first.die()
            let isDone = Atomic(false)
            let done = DispatchSemaphore(value: 0)
            wake(client) {
                isDone.store(true, ordering: .sequentiallyConsistent)
                done.signal()
            }
            let second = try offer()
            let hello = try second.hello()
            let wasDone = isDone.load(ordering: .sequentiallyConsistent)
            #expect(!wasDone)
            second.say(.response(id: hello, result: [:]))
            #expect(try second.next() == .response(id: .int(1), result: [:]))
            done.wait()
        }

        @Test("An app that has answered nothing, or has no service any more, is done at once")
        func nothing() throws {
            let done = DispatchSemaphore(value: 0)
            wake(nil) { done.signal() }
            done.wait()
            let client = client()
            let service = try offer()
            try service.greet()
            wake(client) { done.signal() }
            done.wait()
            stop(client)
            wake(client) { done.signal() }
            done.wait()
        }

        @Test("What another app's way to the same service has not written keeps back nobody")
        func others() throws {
            let client = client()
            defer { stop(client) }
            let service = try serviceThatAsked()
            service.die()
            let own = Own()
            let done = DispatchSemaphore(value: 0)
            wake(own) { done.signal() }
            done.wait()
            #expect(own.settled.load(ordering: .sequentiallyConsistent) == 1)
        }
    }

    @Suite("What an app loads")
    struct LoadedLibraryTests {
        /// The libraries that a program that was built beside the tests loads at its start, as the loader says.
        private func libraries(of name: String) throws -> [String] {
            let program = Process()
            program.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name)
            program.environment = ["LD_TRACE_LOADED_OBJECTS": "1"]
            let output = Pipe()
            program.standardOutput = output
            try program.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            program.waitUntilExit()
            return text.split(separator: "\n").compactMap { line in
                line.split(whereSeparator: \.isWhitespace).first.map(String.init)
            }
        }

        @Test("An app that imports UIKit alone does not load what only URLSession needs")
        func light() throws {
            let light = try libraries(of: "Misbehaver")
            #expect(light.contains("libFoundation.so"), "\(light)")
            #expect(light.filter { $0.contains("FoundationNetworking") || $0.contains("curl") } == [])
            // That it would be seen.
            #expect(try libraries(of: "Article").contains("libFoundationNetworking.so"))
        }
    }
}
