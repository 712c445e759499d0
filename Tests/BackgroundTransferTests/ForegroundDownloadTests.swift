import BackgroundTransfer
import Foundation
import Testing

/// A file whose pieces differ.
private let file = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) }
private let half = 150_000

/// The headers of a server that lets downloads go on.
private func resumable(_ tag: String = "\"one\"") -> [String: String] { ["Accept-Ranges": "bytes", "ETag": tag] }

/// A server whose first answer breaks off in the middle, and the others are the test's.
private func breaking(
    _ headers: [String: String] = resumable(),
    then answer: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply
) -> LoopbackServer {
    LoopbackServer { request in
        request.rangeStart == nil
            ? LoopbackServer.Reply(headers: headers, body: file, end: .cut(half)) : answer(request)
    }
}

private func session(_ witness: Witness?) -> URLSession {
    URLSession(configuration: .ephemeral, delegate: witness, delegateQueue: nil)
}

/// What a download leaves that breaks off.
private func interrupted(_ server: LoopbackServer) async -> Data? {
    let witness = Witness()
    let session = session(witness)
    session.downloadTask(with: server.url()).resume()
    let notes = await witness.end()
    session.finishTasksAndInvalidate()
    return (notes.error as NSError?)?.userInfo[URLSessionDownloadTaskResumeData] as? Data
}

@Suite("A download of a foreground session", .timeLimit(.minutes(1)))
struct ForegroundDownloadTests {
    @Test("A download that breaks off goes on where it was")
    func resumes() async throws {
        let server = breaking { .part(file, from: $0.rangeStart ?? 0, tag: "\"one\"") }
        let data = try #require(await interrupted(server))
        let witness = Witness()
        let session = session(witness)
        let task = session.downloadTask(withResumeData: data)
        task.resume()
        let notes = await witness.end()
        #expect(notes.words == ["resumed at \(half) of \(file.count)", "finished", "completed well"])
        #expect(notes.file == Data(file))
        #expect(notes.totals.allSatisfy { $0 > half } && notes.totals == notes.totals.sorted())
        #expect(notes.totals.last == Int64(file.count) && notes.expected == Int64(file.count))
        #expect(task.countOfBytesReceived == Int64(file.count))
        #expect(task.originalRequest?.url == server.url())
        let request = try #require(server.requests.last)
        #expect(request.headers["range"] == "bytes=\(half)-")
        #expect(request.headers["if-range"] == "\"one\"")
        #expect(request.headers["accept-encoding"] == "identity")
    }

    @Test("A download that is cancelled gives what it goes on with", arguments: [false, true])
    func cancels(isAsync: Bool) async throws {
        let server = LoopbackServer { request in
            guard let start = request.rangeStart else {
                return LoopbackServer.Reply(headers: resumable(), body: file, end: .hold(half))
            }
            return .part(file, from: start, tag: "\"one\"")
        }
        let witness = Witness()
        let session = session(witness)
        let task = session.downloadTask(with: server.url())
        task.resume()
        await witness.until { $0.totals.last == Int64(half) }
        let produced =
            if isAsync {
                await task.cancelByProducingResumeData()
            } else {
                await withCheckedContinuation { continuation in
                    task.cancel { continuation.resume(returning: $0) }
                }
            }
        let data = try #require(produced)
        let notes = await witness.end()
        #expect(notes.words == ["completed with \(NSURLErrorCancelled)"])
        #expect((notes.error as NSError?)?.userInfo[URLSessionDownloadTaskResumeData] as? Data == data)
        #expect((task.error as? URLError)?.code == .cancelled)

        let (location, response) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: location) == Data(file))
        #expect((response as? HTTPURLResponse)?.statusCode == 206)
        try FileManager.default.removeItem(at: location)
    }

    @Test("A download with a handler is resumed with one")
    func handlers() async throws {
        let server = breaking { .part(file, from: $0.rangeStart ?? 0, tag: "\"one\"") }
        let session = session(nil)
        let error = await withCheckedContinuation { continuation in
            session.downloadTask(with: server.url()) { continuation.resume(returning: $2) }.resume()
        }
        let data = try #require((error as NSError?)?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let content = await withCheckedContinuation { continuation in
            session.downloadTask(withResumeData: data) { location, _, _ in
                continuation.resume(returning: location.flatMap { try? Data(contentsOf: $0) })
            }.resume()
        }
        #expect(content == Data(file))
    }

    @Test(
        "There is nothing to go on with where the server gives no hold for it",
        arguments: [
            ["ETag": "\"one\""], ["Accept-Ranges": "bytes"], ["Accept-Ranges": "none", "ETag": "\"one\""],
            ["Accept-Ranges": "bytes", "ETag": "W/\"one\""],
        ])
    func unresumable(_ headers: [String: String]) async {
        let server = breaking(headers) { _ in LoopbackServer.Reply(status: 500) }
        #expect(await interrupted(server) == nil)
        #expect(server.requests.count == 1)
    }

    @Test("The date of a file is enough to go on")
    func dates() async throws {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        let server = breaking(["Accept-Ranges": "bytes", "Last-Modified": date]) {
            .part(file, from: $0.rangeStart ?? 0, tag: "\"any\"")
        }
        let data = try #require(await interrupted(server))
        let (location, _) = try await session(nil).download(resumeFrom: data)
        #expect(try Data(contentsOf: location) == Data(file))
        #expect(server.requests.last?.headers["if-range"] == date)
        try FileManager.default.removeItem(at: location)
    }

    @Test("A server that sends the whole file again begins anew")
    func whole() async throws {
        let server = breaking { _ in LoopbackServer.Reply(headers: resumable("\"two\""), body: file.reversed()) }
        let data = try #require(await interrupted(server))
        let witness = Witness()
        let session = session(witness)
        session.downloadTask(withResumeData: data).resume()
        let notes = await witness.end()
        #expect(notes.words == ["finished", "completed well"])
        #expect(notes.file == Data(file.reversed()))
        #expect(notes.totals.last == Int64(file.count))
        #expect(server.requests.count == 2)
    }

    @Test(
        "Parts of another file are not taken, and a range that is none is not asked for again", arguments: [206, 416])
    func changed(_ status: Int) async throws {
        let other = Array(file.reversed().prefix(200_000))
        let server = LoopbackServer { request in
            guard let start = request.rangeStart else {
                return LoopbackServer.Reply(headers: resumable(), body: other)
            }
            return status == 416 ? LoopbackServer.Reply(status: 416) : .part(other, from: start, tag: "\"two\"")
        }
        let first = breaking { _ in LoopbackServer.Reply(status: 500) }
        let data = try #require(await interrupted(first))
        let moved = try #require(moving(data, to: server.url()))
        let witness = Witness()
        let session = session(witness)
        session.downloadTask(withResumeData: moved).resume()
        let notes = await witness.end()
        #expect(notes.words == ["finished", "completed well"])
        #expect(notes.file == Data(other))
        #expect(server.requests.map { $0.rangeStart } == [half, nil])
    }

    /// The same for another address.
    private func moving(_ data: Data, to url: URL) -> Data? {
        var list =
            unsafe (try? PropertyListSerialization.propertyList(from: data, options: [], format: nil))
            as? [String: Any] ?? [:]
        guard let old = list["NSURLSessionDownloadURL"] as? String, let words = list["GreenroomRequest"] as? Data else {
            return nil
        }
        let escape = { (text: String) in text.replacingOccurrences(of: "/", with: "\\/") }
        let text = String(decoding: words, as: UTF8.self)
            .replacingOccurrences(of: old, with: url.absoluteString)
            .replacingOccurrences(of: escape(old), with: escape(url.absoluteString))
        list["GreenroomRequest"] = Data(text.utf8)
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    @Test("Resume data that is none ends the task with an error", arguments: ["", "garbage", "{\"words\":\"\"}"])
    func garbage(_ text: String) async {
        let witness = Witness()
        let session = session(witness)
        session.downloadTask(withResumeData: Data(text.utf8)).resume()
        let notes = await witness.end()
        #expect(notes.words == ["completed with \(NSURLErrorUnsupportedURL)"])
        let error = await withCheckedContinuation { continuation in
            session.downloadTask(withResumeData: Data(text.utf8)) { continuation.resume(returning: $2) }.resume()
        }
        #expect((error as? URLError)?.code == .unsupportedURL)
        let cancelled = Witness()
        let other = self.cancelled(cancelled, text)
        await cancelled.end()
        #expect((other.error as? URLError)?.code == .cancelled)
    }

    private func cancelled(_ witness: Witness, _ text: String) -> URLSessionTask {
        let task = session(witness).downloadTask(withResumeData: Data(text.utf8))
        task.cancel()
        return task
    }

    @Test("Resume data whose file is gone, or was used, loads the whole file")
    func used() async throws {
        let server = LoopbackServer { request in
            if let start = request.rangeStart { return .part(file, from: start, tag: "\"one\"") }
            return LoopbackServer.Reply(
                headers: resumable(), body: file, end: request.headers["x-whole"] == nil ? .cut(half) : .whole)
        }
        let data = try #require(await interrupted(server))
        let session = session(nil)
        let (first, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: first) == Data(file))
        // The server breaks off again: what is left is the beginning, by which the download can go on.
        let error = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        #expect(error?.userInfo[URLSessionDownloadTaskResumeData] is Data)
        #expect(server.requests.map { $0.rangeStart } == [nil, half, nil])
        try FileManager.default.removeItem(at: first)
    }
}
