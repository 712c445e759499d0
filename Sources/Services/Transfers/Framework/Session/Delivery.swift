internal import AppRuntime
internal import CBackgroundTransfer
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire
internal import Wire

/// Which events this process has had, so that each reaches the delegate once however often the service says it.
struct Delivery {
    /// The last event whose delegate method has returned.
    var executed: Int64 = 0
    /// What came of it: an answer that was lost with its connection is given again.
    var result: JSONValue = [:]
    /// The one that is with the delegate now, and who wants to know when it has returned.
    var running: (number: Int64, questions: [ServiceStream.Question])?
    /// One that waits for a delegate.
    var held: TransferEventInfo?
}

extension SessionCore {
    /// An event, for the first time or again. On the client's queue, as everything here.
    func receive(_ event: TransferEventInfo, _ question: ServiceStream.Question) {
        guard event.number > delivery.executed else {
            return client.answer(question, event.number == delivery.executed ? delivery.result : [:])
        }
        if delivery.running?.number == event.number {
            delivery.running?.questions.append(question)
            return
        }
        delivery.running = (event.number, [question])
        guard delegate != nil else {
            // Nothing is lost while no delegate is attached.
            delivery.held = event
            return
        }
        perform(event)
    }

    func deliverHeld() {
        guard let event = delivery.held else { return }
        delivery.held = nil
        perform(event)
    }

    private func returned(_ event: TransferEventInfo, _ result: JSONValue = [:]) {
        delivery.executed = event.number
        delivery.result = result
        let questions = delivery.running?.questions ?? []
        delivery.running = nil
        for question in questions { client.answer(question, result) }
    }

    private func perform(_ event: TransferEventInfo) {
        let task = task(event.task)
        switch event.kind {
        case .resumedAt(let offset, let expected):
            tell(event, task) { session, task, delegate in
                guard let task = task as? URLSessionDownloadTask else { return }
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    session, downloadTask: task, didResumeAtOffset: offset,
                    expectedTotalBytes: expected ?? NSURLSessionTransferSizeUnknown)
            }
        case .finished(let path, let response):
            task?.box.take(response)
            tell(event, task) { session, task, delegate in
                let file = URL(fileURLWithPath: path)
                if let download = task as? URLSessionDownloadTask {
                    (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                        session, downloadTask: download, didFinishDownloadingTo: file)
                } else if let upload = task as? URLSessionUploadTask {
                    Self.handOver(file, task.box, session, upload, delegate)
                }
            }
        case .completed(let completion): complete(event, task, completion)
        case .challenge(let number, let space, let failures):
            tell(event, task) { session, task, delegate in
                self.challenge(number, space, Int(failures), session, task, delegate)
            }
        case .delayedRequest(let request): askBefore(request, event, task)
        case .finishedEvents:
            callDelegate { session, delegate in
                self.finishedEvents(session, delegate)
            } then: {
                self.returned(event)
            }
        case .invalidated:
            callDelegate { _, _ in
            } then: {
                // Answered first: with the session its place at the service goes as well.
                self.returned(event)
                self.invalidated()
            }
        }
    }

    private func tell(
        _ event: TransferEventInfo, _ task: (any BackgroundTask)?,
        _ body: @escaping @Sendable (URLSession, any BackgroundTask, any URLSessionDelegate) -> Void
    ) {
        callDelegate { session, delegate in
            if let task { body(session, task, delegate) }
        } then: {
            self.returned(event)
        }
    }

    /// What the server said to an upload: as long as the delegate has not returned, the file is there.
    private static func handOver(
        _ file: URL, _ box: TaskBox, _ session: URLSession, _ task: URLSessionUploadTask,
        _ delegate: any URLSessionDelegate
    ) {
        do {
            let data = try Data(contentsOf: file)
            box.answered(Int64(data.count))
            (delegate as? any URLSessionDataDelegate)?.urlSession(session, dataTask: task, didReceive: data)
        } catch {
            TransferClient.complain("the answer to an upload cannot be read: \(error.localizedDescription)")
        }
    }

    private func complete(_ event: TransferEventInfo, _ task: (any BackgroundTask)?, _ completion: TransferCompletion) {
        let request = task?.box.originalRequest
        let resumeData = completion.error?.resumeData.map { ResumeData.wrap($0, request, requestTimeout) }
        let error = completion.error.map { TransferFailure.error($0, request?.url, resumeData: resumeData) }
        task?.box.take(completion.response)
        _ = task?.box.complete(error, received: completion.received, sent: completion.sent)
        callDelegate { session, delegate in
            guard let task, let delegate = delegate as? any URLSessionTaskDelegate else { return }
            if let metrics = completion.metrics {
                delegate.urlSession(session, task: task, didFinishCollecting: .make(metrics))
            }
            delegate.urlSession(session, task: task, didCompleteWithError: error)
        } then: {
            if let task { self.remove(task.box) }
            self.returned(event)
        }
    }

    private func finishedEvents(_ session: URLSession, _ delegate: any URLSessionDelegate) {
        if let delegate = delegate as? any URLSessionBackgroundDelegate {
            delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        } else {
            TransferClient.complain(
                """
                \(type(of: delegate)) is not told that the events of the background session \(identifier) are \
                finished: it does not conform to URLSessionBackgroundDelegate
                """)
        }
    }

    /// Progress, as often as the delegate keeps up with it.
    func progress(_ news: TransferProgress) {
        guard let task = task(news.task), task.box.note(news) else { return }
        callDelegate { session, delegate in
            guard let bytes = task.box.takeUntold() else { return }
            if let download = task as? URLSessionDownloadTask {
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    session, downloadTask: download, didWriteData: bytes, totalBytesWritten: task.box.received,
                    totalBytesExpectedToWrite: task.box.expectedToReceive)
            } else {
                (delegate as? any URLSessionTaskDelegate)?.urlSession(
                    session, task: task, didSendBodyData: bytes, totalBytesSent: task.box.sent,
                    totalBytesExpectedToSend: task.box.expectedToSend)
            }
        }
    }

    // MARK: Before a request that was delayed

    private func askBefore(_ info: TransferRequestInfo, _ event: TransferEventInfo, _ task: (any BackgroundTask)?) {
        let decision = Once<(URLSession.DelayedRequestDisposition, URLRequest?)>(
            otherwise: (.continueLoading, nil)
        ) { choice in
            self.client.queue.async { self.decided(choice.0, choice.1, event, task) }
        }
        callDelegate { session, delegate in
            guard let task, let delegate = delegate as? any URLSessionTaskDelegate, let request = URLRequest(info)
            else {
                return
            }
            delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { decision.give(($0, $1)) }
        }
    }

    private func decided(
        _ disposition: URLSession.DelayedRequestDisposition, _ request: URLRequest?, _ event: TransferEventInfo,
        _ task: (any BackgroundTask)?
    ) {
        switch disposition {
        case .continueLoading: returned(event, TransferDelayedAnswer(disposition: .continueLoading).json)
        case .cancel:
            // The service needs no other word to cancel it.
            _ = task?.box.beginCancelling()
            returned(event, TransferDelayedAnswer(disposition: .cancel).json)
        case .useNewRequest:
            let request = request.map(configured)
            task?.box.use(request)
            let info = TransferRequestInfo(request, requestTimeout)
            returned(event, TransferDelayedAnswer(disposition: .useNewRequest, request: info).json)
        }
    }
}

extension URLSessionTaskMetrics {
    /// Foundation lets nobody else fill in what it measures; of what the service knows, the interval fits.
    static func make(_ info: TransferMetrics) -> URLSessionTaskMetrics {
        let metrics = URLSessionTaskMetrics()
        let start = Date(timeIntervalSince1970: info.created).timeIntervalSinceReferenceDate
        unsafe cbt_set_task_interval(
            Unmanaged.passUnretained(metrics).toOpaque(), start, max(0, info.ended - info.created))
        return metrics
    }
}
