import BackgroundTransfer
import Foundation
import Testing
import TransferWire
import Wire

@Suite("Uploads, challenges and ends", .timeLimit(.minutes(1)))
struct UploadTests {
    /// A file with a text in it, removed when the test is over.
    private func withFile(_ text: String, _ body: (URL) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file)
    }

    @Test("An upload hands its file over, which may change or vanish from then on")
    func upload() async throws {
        try await withFile("the body") { file in
            let service = FakeService(connections: 0)
            let delegate = Recorder()
            let session = Run(service).session("upload", delegate)
            var request = URLRequest(url: address)
            request.httpMethod = "PUT"
            let task = session.uploadTask(with: request, fromFile: file)
            try FileManager.default.removeItem(at: file)
            task.resume()
            service.accept()
            let create = await service.call(.create)
            #expect(create.content == "the body")
            #expect(create.params["kind"]?.string == "upload")
            #expect(task.countOfBytesExpectedToSend == 8)
            service.emit(done(), "upload", task: 1)
            #expect(await delegate.first(1) == ["completed well"])
        }
    }

    @Test("An upload whose request was not answered hands its file over again")
    func again() async throws {
        try await withFile("twice") { file in
            let service = FakeService()
            service.leaveUnanswered(.create)
            let session = Run(service).session("twice", Recorder())
            session.uploadTask(with: URLRequest(url: address), fromFile: file).resume()
            #expect(await service.call(.create).content == "twice")
            service.leaveUnanswered()
            service.die()
            service.accept()
            _ = await service.call(.create, 2)
            // The descriptor stands where the service left it; the real one never reads through it.
            #expect(service.calls.filter { $0 == .create }.count == 2)
        }
    }

    @Test("What the server says to an upload reaches its delegate before the end, once, however often it is told")
    func answer() async throws {
        try await withFile("body") { file in
            let service = FakeService()
            let gate = DispatchSemaphore(value: 0)
            let delegate = Recorder(gate: gate)
            let session = Run(service).session("answer", delegate)
            let task = session.uploadTask(with: URLRequest(url: address), fromFile: file)
            task.resume()
            _ = await service.call(.resume)
            // The service keeps it until the delegate has returned, and says it again to the next connection.
            try Data("thank you".utf8).write(to: file)
            service.emit(.finished(path: file.path, response: response), "answer", task: 1)
            service.die()
            service.accept()
            _ = await service.call(.open, 2)
            gate.signal()
            service.emit(done(), "answer", task: 1)
            #expect(await delegate.first(2) == ["heard thank you, 9 bytes", "completed well"])
            #expect(delegate.tasks.allSatisfy { $0 === task })
        }
    }

    @Test("The length of the server's answer stays when the service comes back without having heard of its reading")
    func answerLength() async throws {
        try await withFile("body") { file in
            let service = FakeService()
            let session = Run(service).session("length", Recorder())
            let task = session.uploadTask(with: URLRequest(url: address), fromFile: file)
            task.resume()
            _ = await service.call(.resume)
            try Data("thank you".utf8).write(to: file)
            service.dieAtAnswer()
            service.accept()
            service.emit(.finished(path: file.path, response: response), "length", task: 1)
            // It heard of it in the second connection, where it had told its tasks before.
            _ = await service.answer(1)
            #expect(task.countOfBytesReceived == 9)
            #expect(task.countOfBytesExpectedToReceive == 9)
        }
    }

    @Test("A challenge reaches the task's delegate, and its credential the service")
    func challenge() async throws {
        let service = FakeService()
        let credential = URLCredential(user: "me", password: "secret", persistence: .forSession)
        let delegate = Recorder(credential: credential)
        let session = Run(service).session("challenge", delegate)
        session.downloadTask(with: address).resume()
        _ = await service.call(.resume)
        let space = TransferChallengeSpace(host: "localhost", port: 9, scheme: "http", realm: "attic", method: "Basic")
        service.emit(.challenge(number: 7, space: space, previousFailures: 1), "challenge", task: 1)
        let answer = try TransferCredentialParameters(json: await service.call(.credential).params)
        #expect(answer.number == 7 && answer.task == 1)
        #expect(answer.disposition == .useCredential)
        #expect(answer.user == "me" && answer.password == "secret" && answer.persistence == "forSession")
        #expect(delegate.words == ["challenge attic 1"])
    }

    @Test("A delegate that says nothing to a challenge leaves it to the default, and is not waited for")
    func silence() async throws {
        let service = FakeService()
        let session = Run(service).session("silence", Silent())
        session.downloadTask(with: address).resume()
        _ = await service.call(.resume)
        let space = TransferChallengeSpace(host: "localhost", port: 9, scheme: "http", method: "Digest")
        service.emit(.challenge(number: 1, space: space, previousFailures: 0), "silence", task: 1)
        #expect(await service.call(.credential).params["disposition"]?.string == "performDefaultHandling")
        withExtendedLifetime(session) {}
    }

    @Test("An invalidated session says so last, and lets its delegate go")
    func invalidation() async {
        let service = FakeService()
        let run = Run(service)
        weak var released: Recorder?
        do {
            let delegate = Recorder()
            released = delegate
            let session = run.session("invalid", delegate)
            let task = session.downloadTask(with: address)
            task.resume()
            session.finishTasksAndInvalidate()
            _ = await service.call(.invalidate)
            #expect(task.state == .running)
            service.emit(done(), "invalid", task: 1)
            service.emit(.invalidated, "invalid")
            #expect(await delegate.first(2) == ["completed well", "invalid"])
            _ = await service.answer(2)
            run.client.drain()
            #expect(session.delegate == nil)
        }
        #expect(released == nil)
        // The identifier is free again.
        let session = run.session("invalid", Recorder())
        #expect(session.delegate != nil)
    }

    @Test("invalidateAndCancel cancels what runs")
    func cancelling() async {
        let service = FakeService()
        let session = Run(service).session("cancel all", Recorder())
        let task = session.downloadTask(with: address)
        task.resume()
        session.invalidateAndCancel()
        #expect(task.state == .canceling)
        #expect(await service.call(.invalidate).params["cancels"]?.bool == true)
    }

    @Test("All tasks are those that are not over, after the service has been heard")
    func allTasks() async {
        let service = FakeService()
        let session = Run(service).session("all", Recorder())
        let one = session.downloadTask(with: address)
        let two = session.downloadTask(with: address)
        one.resume()
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(tasks == [one, two])
        let downloads = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { continuation.resume(returning: $2) }
        }
        #expect(downloads.map(\.taskIdentifier) == [1, 2])
    }

    @Test("A session that another process has open fails its tasks with the code for that")
    func taken() async throws {
        let service = FakeService(connections: 0)
        service.refuseSessions(RPCError(.refused, "a background session with this identifier exists"))
        let delegate = Recorder()
        let session = Run(service).session("taken", delegate)
        let early = session.downloadTask(with: address)
        early.resume()
        service.accept()
        #expect(await delegate.first(1) == ["completed with -996"])
        session.downloadTask(with: address).resume()
        #expect(await delegate.first(2).last == "completed with -996")
        #expect(early.state == .completed)
    }

    @Test("A second session with a live identifier is the first one; events wait for a delegate")
    func second() async {
        let service = FakeService()
        let run = Run(service)
        let configuration = URLSessionConfiguration.background(withIdentifier: "second")
        configuration.client = run.client
        let bare = URLSession(configuration: configuration)
        let task = bare.downloadTask(with: address)
        task.resume()
        _ = await service.call(.resume)
        service.emit(done(), "second", task: 1)
        let delegate = Recorder()
        let session = run.session("second", delegate)
        #expect(await delegate.first(1) == ["completed well"])
        #expect(session.delegate as? Recorder === delegate)
        #expect(delegate.tasks.first === task)
        #expect(service.calls.filter { $0 == .open }.count == 1)
    }
}

/// Implements nothing that it need not.
private final class Silent: NSObject, URLSessionTaskDelegate {}
