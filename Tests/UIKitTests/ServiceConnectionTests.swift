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
