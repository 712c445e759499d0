import BackgroundTransfer
import Foundation
import Testing

/// A file whose pieces differ.
private let file = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) }

@Suite("Bytes of a foreground session, as they come", .timeLimit(.minutes(1)))
struct ForegroundBytesTests {
    private let session = URLSession(configuration: .ephemeral)

    private func text(_ text: String) -> LoopbackServer {
        LoopbackServer { _ in LoopbackServer.Reply(body: Array(text.utf8)) }
    }

    @Test("All bytes come in their order, also where they come faster than they are taken")
    func whole() async throws {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: file) }
        let (bytes, response) = try await session.bytes(from: server.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(response.expectedContentLength == Int64(file.count))
        var received: [UInt8] = []
        for try await byte in bytes {
            received.append(byte)
            if received.count.isMultiple(of: 100_000) { await Task.yield() }
        }
        #expect(received == file)
        #expect(bytes.task.originalRequest?.url == server.url())
        session.invalidateAndCancel()
    }

    @Test("Lines are what is between any of Unicode's line breaks")
    func lines() async throws {
        let server = text("one\ntwo\r\n\rfour\u{85}fünf\u{2028}six\u{2029}\n\nlast")
        let (bytes, _) = try await session.bytes(for: URLRequest(url: server.url()))
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == ["one", "two", "", "four", "fünf", "six", "", "", "last"])
        session.invalidateAndCancel()
    }

    @Test("An answer that breaks off throws after what has come")
    func breaks() async throws {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: file, end: .cut(1000)) }
        let (bytes, _) = try await session.bytes(from: server.url())
        var count = 0
        await #expect(throws: (any Error).self) {
            for try await _ in bytes { count += 1 }
        }
        #expect(count == 1000)
        session.invalidateAndCancel()
    }

    @Test("Without an answer it throws at once")
    func refused() async {
        await #expect(throws: URLError.self) {
            _ = try await session.bytes(from: #require(URL(string: "http://127.0.0.1:1/")))
        }
        session.invalidateAndCancel()
    }

    @Test("A delegate of its own decides about redirections")
    func redirections() async throws {
        final class Refusing: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) { completionHandler(nil) }
        }
        let server = LoopbackServer { request in
            request.line.contains("/new")
                ? LoopbackServer.Reply(body: Array("new".utf8))
                : LoopbackServer.Reply(status: 302, headers: ["Location": "/new"], body: Array("old".utf8))
        }
        func load(_ delegate: (any URLSessionTaskDelegate)?) async throws -> (Int?, String) {
            let (bytes, response) = try await session.bytes(from: server.url("old"), delegate: delegate)
            var text = ""
            for try await line in bytes.lines { text += line }
            return ((response as? HTTPURLResponse)?.statusCode, text)
        }
        #expect(try await load(nil) == (200, "new"))
        #expect(try await load(Refusing()) == (302, "old"))
        session.invalidateAndCancel()
    }

    /// How a task ends.
    enum Ending: CaseIterable {
        case cancelsItsTask, cancelsTheSession, letsGo
    }

    @Test(
        "Where the program's task is cancelled, or the session, or nobody holds the bytes, the load ends",
        arguments: Ending.allCases)
    func ends(_ ending: Ending) async throws {
        let hasEnded = AsyncStream<Void>.makeStream()
        let server = LoopbackServer(whenHeldEnds: { hasEnded.continuation.yield() }) { _ in
            LoopbackServer.Reply(body: file, end: .hold(10))
        }
        let begun = AsyncStream<Void>.makeStream()
        let reading = Task {
            let (bytes, _) = try await session.bytes(from: server.url())
            var count = 0
            for try await _ in bytes {
                count += 1
                guard count == 10 else { continue }
                begun.continuation.yield()
                if ending == .letsGo { break }
            }
            return count
        }
        for await _ in begun.stream { break }
        switch ending {
        case .cancelsItsTask: reading.cancel()
        case .cancelsTheSession: session.invalidateAndCancel()
        case .letsGo: break
        }
        switch (ending, await reading.result) {
        case (.letsGo, .success(let count)): #expect(count == 10)
        case (_, .failure(let error)): #expect((error as? URLError)?.code == .cancelled)
        case (_, .success): Issue.record("it came to an end")
        }
        for await _ in hasEnded.stream { break }
        session.invalidateAndCancel()
    }

    @Test("A task that is cancelled before it begins loads nothing")
    func early() async {
        let server = text("never")
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await session.bytes(from: server.url())
        }
        let result = await task.result
        #expect(throws: URLError.self) { try result.get() }
        #expect(server.requests.isEmpty)
        session.invalidateAndCancel()
    }

    @Test("A background session loads files, and no bytes")
    func background() async {
        let session = URLSession(configuration: .background(withIdentifier: "bytes"))
        await #expect(throws: URLError.self) {
            _ = try await session.bytes(from: #require(URL(string: "http://127.0.0.1:1/")))
        }
    }
}
