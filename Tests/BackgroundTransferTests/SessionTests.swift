import BackgroundTransfer
import Foundation
import Testing
import TransferWire
import Wire

/// A program's run: a client of its own, as after a launch.
struct Run {
    let client: TransferClient
    let service: FakeService

    init(_ service: FakeService) {
        self.service = service
        client = TransferClient(service)
    }

    func session(_ name: String, _ delegate: any URLSessionDelegate) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: name)
        configuration.client = client
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// The process ends; the service waits for the next one.
    func end() {
        client.stop()
        service.accept()
    }
}

let address = URL(string: "http://localhost:9/file") ?? URL(fileURLWithPath: "/")
let response = TransferResponseInfo(
    url: "http://localhost:9/other", status: 200, headers: [WireHeader("A", "1"), WireHeader("a", "2")],
    httpVersion: "HTTP/1.1")

func done(
    _ error: TransferErrorInfo? = nil, received: Int64 = 10, metrics: TransferMetrics? = nil
) -> TransferEventInfo.Kind {
    .completed(
        TransferCompletion(error: error, response: response, received: received, sent: 0, metrics: metrics))
}

@Suite("A background session", .timeLimit(.minutes(1)))
struct SessionTests {
    @Test("A download is told to its delegate in Apple's order")
    func order() async {
        let service = FakeService()
        let run = Run(service)
        let delegate = Recorder()
        let session = run.session("order", delegate)
        let task = session.downloadTask(with: address)
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        _ = await service.call(.resume)
        service.emit(.resumedAt(offset: 3, expected: 10), "order", task: 1)
        _ = await service.answer(1)
        service.progress("order", 1, received: 10, bytes: 7, expected: 10)
        service.emit(.finished(path: "/tmp/x", response: response), "order", task: 1)
        service.emit(done(metrics: TransferMetrics(created: 1, ended: 3, attempts: 1)), "order", task: 1)
        let words = await delegate.first(5)
        #expect(
            words == ["resumed at 3 of 10", "wrote 7, 10 of 10", "finished", "metrics of 2.0 s", "completed well"])
        _ = await service.answer(3)
        #expect(task.state == .completed)
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 10)
        #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "A") == "1, 2")
        #expect(task.currentRequest?.url?.path == "/other")
        #expect(task.originalRequest?.url == address)
        #expect(delegate.tasks.allSatisfy { $0 === task })
    }

    @Test("A task is created with what it was given before the service was there")
    func creation() async throws {
        let service = FakeService(connections: 0)
        let run = Run(service)
        let session = run.session("creation", Recorder())
        var request = URLRequest(url: address)
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let task = session.downloadTask(with: request)
        task.taskDescription = "an episode"
        task.priority = URLSessionTask.highPriority
        task.countOfBytesClientExpectsToReceive = 1000
        task.resume()
        service.accept()
        let create = try TransferCreate(json: await service.call(.create).params)
        #expect(create.description == "an episode")
        #expect(create.priority == 0.75)
        #expect(create.expectsToReceive == 1000)
        #expect(create.expectsToSend == nil)
        #expect(create.request.method == "POST")
        #expect(create.request.body == Array("body".utf8))
        #expect(create.request.headers.contains(WireHeader("Accept", "text/plain")))
        #expect(await service.call(.resume).task == 1)
        #expect(!service.calls.contains(.change))
        task.taskDescription = "another"
        #expect(await service.call(.change).params["description"]?.string == "another")
    }

    @Test("The session's configuration reaches the service")
    func settings() async throws {
        let service = FakeService()
        let configuration = URLSessionConfiguration.background(withIdentifier: "settings")
        configuration.client = TransferClient(service)
        configuration.isDiscretionary = true
        configuration.sessionSendsLaunchEvents = false
        configuration.allowsCellularAccess = false
        configuration.waitsForConnectivity = false
        (configuration as URLSessionConfiguration).allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        configuration.timeoutIntervalForResource = 99
        configuration.httpAdditionalHeaders = ["X-One": "1"]
        configuration.httpMaximumConnectionsPerHost = 2
        configuration.httpCookieAcceptPolicy = .never
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        configuration.connectionProxyDictionary = ["HTTPProxy": "proxy", "HTTPPort": 3128]
        let session = URLSession(configuration: configuration, delegate: Recorder(), delegateQueue: nil)
        configuration.timeoutIntervalForResource = 1
        let open = try TransferOpen(json: await service.call(.open).params).configuration
        #expect(open.discretionary && !open.sendsLaunchEvents && !open.allowsCellular && !open.allowsConstrained)
        #expect(!open.allowsExpensive && !open.delayedRequests)
        #expect(!session.configuration.waitsForConnectivity)
        #expect(open.resourceTimeout == 99)
        #expect(open.headers == [WireHeader("X-One", "1")])
        #expect(open.connectionsPerHost == 2)
        #expect(open.cookies == .never)
        #expect(open.tlsMinimum == "1.3")
        #expect(open.proxy?.host == "proxy" && open.proxy?.port == 3128)
        #expect(session.configuration.identifier == "settings")
        #expect(session.configuration.timeoutIntervalForResource == 99)
    }

    @Test("After a relaunch the same tasks are there, with their descriptions, and what was missed is told")
    func reattachment() async {
        let service = FakeService()
        let first = Run(service)
        let early = Recorder()
        let task = first.session("again", early).downloadTask(with: address)
        task.taskDescription = "episode 7"
        task.resume()
        _ = await service.call(.resume)
        first.end()
        service.die()
        service.emit(.finished(path: "/tmp/y", response: response), "again", task: 1)
        service.emit(done(), "again", task: 1)
        service.emit(.finishedEvents, "again")

        let late = Recorder()
        let session = Run(service).session("again", late)
        let words = await late.first(3)
        #expect(words == ["finished", "completed well", "finished events"])
        #expect(late.files == ["/tmp/y"])
        #expect(late.tasks[0] === late.tasks[1], "one identifier, one object")
        #expect(late.tasks[0] !== task)
        #expect(late.tasks[0].taskIdentifier == 1)
        #expect(late.tasks[0].taskDescription == "episode 7")
        #expect(late.tasks[0].originalRequest?.url == address)
        #expect(early.words.isEmpty)
        // Numbers are not used again.
        #expect(session.downloadTask(with: address).taskIdentifier == 2)
    }

    @Test("Thousands of tasks come back page by page, and events when all of them are known")
    func pages() async {
        let service = FakeService()
        let first = Run(service)
        let session = first.session("pages", Recorder())
        for _ in 0..<1000 { _ = session.downloadTask(with: address) }
        _ = await service.call(.create, 1000)
        first.end()
        service.die()
        service.tell(tasks: 300)
        service.emit(done(), "pages", task: 1000)
        let late = Recorder()
        let again = Run(service).session("pages", late)
        let tasks = await withCheckedContinuation { continuation in
            again.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(Set(tasks.map(\.taskIdentifier)).isSuperset(of: 1...999))
        #expect(await late.first(1) == ["completed well"])
        #expect(late.tasks.first?.taskIdentifier == 1000)
        #expect(service.calls.filter { $0 == .tasks }.count == 3)
    }

    @Test(
        "An event whose delegate method has returned is not told again, one that still runs is answered once it returns"
    )
    func redelivery() async {
        let service = FakeService()
        let gate = DispatchSemaphore(value: 0)
        let delegate = Recorder(gate: gate)
        let run = Run(service)
        let session = run.session("redelivery", delegate)
        session.downloadTask(with: address).resume()
        _ = await service.call(.resume)
        service.emit(.finished(path: "/tmp/z", response: nil), "redelivery", task: 1)
        service.emit(done(), "redelivery", task: 1)
        // The delegate is within `didFinishDownloadingTo` now, or soon; the service asks again on a new connection.
        service.die()
        service.accept()
        _ = await service.call(.open, 2)
        gate.signal()
        let words = await delegate.first(2)
        #expect(words == ["finished", "completed well"])
        _ = await service.answer(2)
        #expect(delegate.words == words)
        #expect(service.answered == [1, 2])
    }

    @Test("What the service had not answered when it died is said again, in order")
    func repetition() async {
        let service = FakeService()
        service.leaveUnanswered(.create, .resume)
        let session = Run(service).session("repetition", Recorder())
        let task = session.downloadTask(with: address)
        task.resume()
        _ = await service.call(.resume)
        service.leaveUnanswered()
        service.die()
        service.accept()
        _ = await service.call(.resume, 2)
        #expect(service.calls == [.hello, .open, .create, .resume, .hello, .open, .create, .resume])
        #expect(task.taskIdentifier == 1)
    }

    @Test("A task that the service has lost ends with the error that says so")
    func loss() async {
        let service = FakeService()
        let delegate = Recorder()
        let run = Run(service)
        let task = run.session("loss", delegate).downloadTask(with: address)
        task.resume()
        _ = await service.call(.resume)
        service.forgetEverything()
        service.die()
        service.accept()
        #expect(await delegate.first(1) == ["completed with -997"])
        #expect(task.state == .completed)
    }

    @Test("Suspending nests, and only what changes anything is said")
    func suspension() async {
        let service = FakeService()
        let task = Run(service).session("nest", Recorder()).downloadTask(with: address)
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        task.cancel()
        task.resume()
        #expect(task.state == .canceling)
        _ = await service.call(.cancel)
        #expect(service.calls.suffix(4) == [.resume, .suspend, .resume, .cancel])
    }

    @Test("A cancelled download gives its resume data, and a download goes on with it")
    func resumeData() async throws {
        let service = FakeService()
        let delegate = Recorder()
        let session = Run(service).session("data", delegate)
        var request = URLRequest(url: address)
        request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        let task = session.downloadTask(with: request)
        task.resume()
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        let error = TransferErrorInfo(
            domain: NSURLErrorDomain, code: -999, description: "cancelled", resumeData: [1, 2], reason: 0)
        service.emit(done(error), "data", task: 1)
        #expect(await delegate.first(1) == ["completed with -999"])
        let told = try #require(delegate.errors.first) as NSError
        #expect(told.userInfo[URLSessionDownloadTaskResumeData] is Data)
        #expect(told.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int == 0)
        #expect(told.userInfo[NSURLErrorFailingURLErrorKey] as? URL == address)
        #expect((told as? URLError)?.code == .cancelled || (delegate.errors.first as? URLError)?.code == .cancelled)

        let second = session.downloadTask(withResumeData: try #require(data))
        second.resume()
        #expect(second.originalRequest?.url == address)
        let create = try TransferCreate(json: await service.call(.create, 2).params)
        #expect(create.resumeData == Array("resume".utf8))
        #expect(create.request.headers.contains(WireHeader("Authorization", "Bearer x")))

        // What is none reaches the service as it is.
        session.downloadTask(withResumeData: Data("anything".utf8)).resume()
        #expect(try TransferCreate(json: await service.call(.create, 3).params).resumeData == Array("anything".utf8))
    }
}
