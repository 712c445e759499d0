import BackgroundTransfer
import Foundation
import Synchronization
import Testing
import TransferWire
import Wire

@Suite("Requests that were delayed", .timeLimit(.minutes(1)))
struct DelayedRequestTests {
    private func ask(_ service: FakeService, _ session: String) {
        let request = TransferRequestInfo(url: address.absoluteString, method: "GET")
        service.emit(.delayedRequest(request), session, task: 1)
    }

    @Test("Whoever wants to be asked before a delayed request is asked, and can change it")
    func delayed() async throws {
        let service = FakeService()
        let session = Run(service).session("delayed", Asked(.useNewRequest))
        #expect(await service.call(.open).params["configuration"]?["delayedRequests"]?.bool == true)
        let task = session.downloadTask(with: address)
        task.resume()
        _ = await service.call(.resume)
        ask(service, "delayed")
        let answer = try TransferDelayedAnswer(json: await service.answer(1))
        #expect(answer.disposition == .useNewRequest)
        #expect(answer.request?.url == "http://localhost:9/new")
        #expect(task.originalRequest?.url == address)
        #expect(task.currentRequest?.url?.path == "/new")
    }

    @Test("A decision whose answer is lost with the connection is told again, and the delegate is not asked again")
    func lost() async throws {
        let service = FakeService()
        let delegate = Asked(.useNewRequest)
        let session = Run(service).session("lost", delegate)
        session.downloadTask(with: address).resume()
        _ = await service.call(.resume)
        service.dieAtAnswer()
        ask(service, "lost")
        service.accept()
        let answer = try TransferDelayedAnswer(json: await service.answer(1))
        #expect(answer.disposition == .useNewRequest)
        #expect(answer.request?.url == "http://localhost:9/new")
        #expect(delegate.count == 1)
    }

    @Test("A task that is cancelled instead is being cancelled, and ends when the service says so")
    func cancelled() async throws {
        let service = FakeService()
        let session = Run(service).session("cancelled", Asked(.cancel))
        let task = session.downloadTask(with: address)
        task.resume()
        _ = await service.call(.resume)
        ask(service, "cancelled")
        #expect(try TransferDelayedAnswer(json: await service.answer(1)).disposition == .cancel)
        #expect(task.state == .canceling)
        #expect(!service.calls.contains(.cancel))
    }

    @Test("A handler that is dropped lets the request begin as it is")
    func dropped() async throws {
        let service = FakeService()
        let session = Run(service).session("dropped", Asked(nil))
        session.downloadTask(with: address).resume()
        _ = await service.call(.resume)
        ask(service, "dropped")
        #expect(try TransferDelayedAnswer(json: await service.answer(1)).disposition == .continueLoading)
        withExtendedLifetime(session) {}
    }
}

private final class Asked: NSObject, URLSessionDelayedRequestDelegate {
    private let disposition: URLSession.DelayedRequestDisposition?
    private let asked = Mutex(0)

    var count: Int { asked.withLock { $0 } }

    init(_ disposition: URLSession.DelayedRequestDisposition?) { self.disposition = disposition }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @Sendable @escaping (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        asked.withLock { $0 += 1 }
        var request = request
        request.url = URL(string: "http://localhost:9/new")
        if let disposition { completionHandler(disposition, disposition == .useNewRequest ? request : nil) }
    }
}
