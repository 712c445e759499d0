import BackgroundTransfer
import Foundation
import Testing

@Suite("A foreground session with downloads", .timeLimit(.minutes(1)))
struct ForegroundSessionTests {
    private static let body = Array("what was asked for".utf8)

    private func session(_ witness: Witness?) -> URLSession {
        URLSession(configuration: .ephemeral, delegate: witness, delegateQueue: nil)
    }

    @Test("Downloads have numbers of their own, and are among the session's tasks while they run")
    func numbers() async {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: Self.body, end: .hold(4)) }
        let witness = Witness()
        let session = session(witness)
        let tasks: [URLSessionTask] = [
            session.dataTask(with: server.url()), session.downloadTask(with: server.url()),
            session.downloadTask(with: server.url()), session.dataTask(with: server.url()),
        ]
        #expect(Set(tasks.map(\.taskIdentifier)).count == 4)
        #expect(await listed(session).isEmpty)
        tasks[1].resume()
        #expect(await listed(session) == [tasks[1]])
        let downloads = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { continuation.resume(returning: $2) }
        }
        #expect(downloads == [tasks[1]])
        await witness.until { $0.totals.last == 4 }
        tasks[1].cancel()
        await witness.end()
        #expect(await listed(session).isEmpty)
        session.invalidateAndCancel()
    }

    private func listed(_ session: URLSession) async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
    }

    @Test("A session that finishes its tasks is invalid after its downloads")
    func finishes() async {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: Self.body) }
        let witness = Witness()
        let session = session(witness)
        session.downloadTask(with: server.url()).resume()
        session.finishTasksAndInvalidate()
        await witness.until("invalid")
        #expect(witness.notes.words == ["finished", "completed well", "invalid"])
        #expect(witness.notes.file == Data(Self.body))
    }

    @Test("A session that cancels its tasks is invalid after its downloads")
    func cancels() async {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: Self.body, end: .hold(4)) }
        let witness = Witness()
        let session = session(witness)
        session.downloadTask(with: server.url()).resume()
        await witness.until { $0.totals.last == 4 }
        session.invalidateAndCancel()
        await witness.until("invalid")
        #expect(witness.notes.words == ["completed with \(NSURLErrorCancelled)", "invalid"])
    }

    @Test("Redirections of a download go to the session's delegate")
    func redirections() async {
        let server = LoopbackServer { request in
            request.line.contains("/file")
                ? LoopbackServer.Reply(status: 302, headers: ["Location": "/behind"])
                : LoopbackServer.Reply(body: Self.body)
        }
        let witness = Witness()
        let task = session(witness).downloadTask(with: server.url())
        task.resume()
        await witness.end()
        #expect(witness.notes.words == ["redirected to behind", "finished", "completed well"])
        #expect(witness.notes.file == Data(Self.body))
        #expect(task.originalRequest?.url == server.url() && task.currentRequest?.url == server.url("behind"))
    }

    @Test("Challenges of a download go to the session's delegate")
    func challenges() async {
        let server = LoopbackServer { request in
            guard request.headers["authorization"] != nil else {
                return LoopbackServer.Reply(
                    status: 401, headers: ["WWW-Authenticate": "Basic realm=\"home\""], body: Array("no".utf8))
            }
            return LoopbackServer.Reply(body: Self.body)
        }
        let witness = Witness(credential: URLCredential(user: "me", password: "secret", persistence: .none))
        let session = session(witness)
        session.downloadTask(with: server.url()).resume()
        await witness.end()
        #expect(witness.notes.words == ["challenge of home", "finished", "completed well"])
        #expect(witness.notes.file == Data(Self.body))
    }

    @Test("The answer to a challenge goes on with the download, not with what the server said before it")
    func challengeAfterResume() async throws {
        let file = [UInt8](repeating: 7, count: 50_000) + [UInt8](repeating: 9, count: 50_000)
        let server = LoopbackServer { request in
            guard let start = request.rangeStart else {
                return LoopbackServer.Reply(
                    headers: ["Accept-Ranges": "bytes", "ETag": "\"one\""], body: file, end: .cut(50_000))
            }
            guard request.headers["authorization"] != nil else {
                return LoopbackServer.Reply(
                    status: 401, headers: ["WWW-Authenticate": "Basic realm=\"home\""], body: Array("no".utf8))
            }
            return .part(file, from: start, tag: "\"one\"")
        }
        let witness = Witness(credential: URLCredential(user: "me", password: "secret", persistence: .none))
        let session = session(witness)
        session.downloadTask(with: server.url()).resume()
        let error = await witness.end().error as NSError?
        let data = try #require(error?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let second = Witness(credential: witness.credential)
        let other = self.session(second)
        other.downloadTask(withResumeData: data).resume()
        await second.end()
        #expect(
            second.notes.words == ["challenge of home", "resumed at 50000 of 100000", "finished", "completed well"])
        #expect(second.notes.file == Data(file))
    }

    @Test("A download that stops and goes on at once is not harmed")
    func pauses() async {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: Self.body) }
        let witness = Witness()
        let session = session(witness)
        let task = session.downloadTask(with: server.url())
        task.resume()
        for _ in 0..<20 {
            task.suspend()
            #expect(task.state == .suspended || task.state == .completed)
            task.resume()
        }
        await witness.end()
        #expect(witness.notes.file == Data(Self.body))
        #expect(witness.notes.words == ["finished", "completed well"])
    }

    @Test("The shared session resumes downloads too")
    func shared() async throws {
        let file = [UInt8](repeating: 3, count: 20_000)
        let server = LoopbackServer { request in
            if let start = request.rangeStart { return .part(file, from: start, tag: "\"one\"") }
            return LoopbackServer.Reply(
                headers: ["Accept-Ranges": "bytes", "ETag": "\"one\""], body: file, end: .cut(5_000))
        }
        let error = await withCheckedContinuation { continuation in
            URLSession.shared.downloadTask(with: server.url()) { continuation.resume(returning: $2) }.resume()
        }
        let data = try #require((error as NSError?)?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let (location, _) = try await URLSession.shared.download(resumeFrom: data)
        #expect(try Data(contentsOf: location) == Data(file))
        try FileManager.default.removeItem(at: location)
    }
}
