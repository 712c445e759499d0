internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire

// What happens to a download on the core's queue: its load begins, stops and ends, and what comes goes into its file.

extension Download {
    /// Does what the program last wanted: moves or stops.
    func follow() {
        let (phase, load) = (state.withLock { $0.phase }, loading.withLock { $0.task })
        guard !loading.withLock({ $0.hasEnded }) else { return }
        switch phase {
        case .running where load == nil: begin()
        case .running: if loading.withLock({ $0.stop(false) }) { load?.resume() }
        case .suspended: if load != nil, loading.withLock({ $0.stop(true) }) { load?.suspend() }
        case .canceling, .completed: return
        @unknown default: return
        }
    }

    private func begin() {
        switch origin {
        case .new(let request): load(request)
        case .resumed(let data):
            // The file may have been removed, or another download may have taken it: then all of it is loaded.
            guard let file = PartialFile(takingOver: data.file, count: data.received) else { return load(data.request) }
            loading.withLock { loading in
                loading.file = file
                loading.offset = file.count
                loading.validator = data.validator
            }
            load(data.request.resumed(at: file.count, data.validator))
        case .unreadable:
            // As on Apple's systems.
            fail(TransferFailure.make(NSURLErrorUnsupportedURL, "unsupported URL", nil))
        }
    }

    private func load(_ request: URLRequest) {
        let task = core.load(request, for: self, priority: priority)
        loading.withLock { $0.task = task }
        task.resume()
    }

    // MARK: What comes

    /// An answer begins; there may be several, as after a challenge.
    func received(_ response: URLResponse) {
        let (offset, validator) = loading.withLock { loading in
            loading.restore()
            return (loading.offset, loading.validator)
        }
        let http = response as? HTTPURLResponse
        let answer = RangeAnswer(http, offset: offset, validator: validator)
        if answer == .again { return loadAgain() }
        state.withLock { $0.response = response }
        switch answer {
        case .rest(let total):
            let expected = total ?? NSURLSessionTransferSizeUnknown
            count(offset, of: expected)
            tell { session, task, delegate in
                delegate.urlSession(
                    session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
            }
        case .whole:
            guard loading.withLock({ $0.startAnew() }) else { return cannotWrite() }
            count(0, of: response.expectedContentLength)
        case .aside:
            guard loading.withLock({ $0.setAside() }) else { return cannotWrite() }
            count(0, of: response.expectedContentLength)
        case .again: return
        }
    }

    func received(_ data: Data) {
        let written = loading.withLock { $0.write(data) }
        guard let written else { return cannotWrite() }
        let (total, expected) = state.withLock { state in
            state.count = written
            return (written, state.expected)
        }
        showProgress()
        let bytes = Int64(data.count)
        tell { session, task, delegate in
            delegate.urlSession(
                session, downloadTask: task, didWriteData: bytes, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        }
    }

    private func count(_ count: Int64, of expected: Int64) {
        state.withLock { state in
            state.count = count
            state.expected = expected
        }
        showProgress()
    }

    /// The file is another one now, or shorter: it is loaded from its beginning.
    private func loadAgain() {
        guard let request = originalRequest else { return }
        let old = loading.withLock { loading in
            loading.offset = 0
            loading.validator = nil
            return loading.task
        }
        if let old { core.drop(old) }
        load(request)
    }

    // MARK: Ends

    /// The load has ended by itself.
    func loaded(_ error: (any Error)?) {
        guard error == nil else { return fail(error ?? URLError(.unknown)) }
        guard finish() else { return }
        let file = loading.withLock { loading -> PartialFile? in
            loading.discardKept()
            // An answer without a body has a file as well.
            if loading.file == nil { loading.file = PartialFile() }
            return loading.file
        }
        file?.close()
        end(file?.url, nil)
    }

    /// It ended midway; what can be resumed is said in the error.
    func fail(_ error: any Error) {
        guard finish() else { return }
        let data = resumeData()
        end(nil, data.map { TransferFailure.adding(URLSessionDownloadTaskResumeData, $0, to: error) } ?? error)
    }

    func cancelled(producing handler: UncheckedHandler?) {
        let load = loading.withLock { $0.task }
        guard finish() else { return give(handler, nil) }
        if let load { core.drop(load) }
        let error = TransferFailure.make(NSURLErrorCancelled, "cancelled", originalRequest?.url)
        guard let handler else {
            loading.withLock { $0.discard() }
            return end(nil, error)
        }
        let data = resumeData()
        give(handler, data)
        end(nil, data.map { TransferFailure.adding(URLSessionDownloadTaskResumeData, $0, to: error) } ?? error)
    }

    private func cannotWrite() {
        if let load = loading.withLock({ $0.task }) { core.drop(load) }
        fail(
            TransferFailure.make(NSURLErrorCannotWriteToFile, "The file could not be written.", originalRequest?.url))
    }

    /// True once.
    private func finish() -> Bool {
        loading.withLock { loading in
            defer { loading.hasEnded = true }
            return !loading.hasEnded
        }
    }

    /// What goes on with the download, which leaves its file to it; without that the file is removed.
    private func resumeData() -> Data? {
        let response = response
        let data = loading.withLock { loading -> Data? in
            loading.restore()
            guard let request = originalRequest, let file = loading.file, file.count > 0 else { return nil }
            // Before an answer, what was resumed can be resumed again.
            let validator = response == nil ? loading.validator : RangeAnswer.validator(response, to: request)
            guard let validator else { return nil }
            return ForegroundResumeData(request, file.name, file.count, validator).data
        }
        loading.withLock { loading in if data == nil { loading.discard() } else { loading.file?.close() } }
        return data
    }
}

extension Download.Loading {
    /// True if that is a change.
    mutating func stop(_ stops: Bool) -> Bool {
        defer { isStopped = stops }
        return isStopped != stops
    }

    /// What came in place of the file is over: its beginning counts again.
    mutating func restore() {
        guard let kept else { return }
        file?.remove()
        file = kept
        self.kept = nil
    }

    mutating func setAside() -> Bool {
        kept = file
        file = PartialFile()
        return file != nil
    }

    /// The file is empty. False if there is none that could be written.
    mutating func startAnew() -> Bool {
        offset = 0
        validator = nil
        guard file != nil else {
            file = PartialFile()
            return file != nil
        }
        return (try? file?.empty()) != nil
    }

    /// How long the file is then; `nil` if it cannot be written.
    mutating func write(_ data: Data) -> Int64? {
        if file == nil { file = PartialFile() }
        guard (try? file?.append(data)) != nil else { return nil }
        return file?.count
    }

    mutating func discardKept() {
        kept?.remove()
        kept = nil
    }

    mutating func discard() {
        discardKept()
        file?.remove()
        file = nil
    }
}
