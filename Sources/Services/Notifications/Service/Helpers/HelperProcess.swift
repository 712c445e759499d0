internal import Dispatch
internal import LinuxSystem
internal import NotificationsWire
internal import Wire

/// One process of a helper, from its start to its end. It answers requests in lines of JSON; one that says anything
/// else, or more than it was asked for, is killed.
///
/// Unchecked: used on the service's queue only.
final class HelperProcess: @unchecked Sendable {
    /// Why it is of no more use.
    enum Trouble: Error, Hashable {
        case notStarted(String)
        case ended(ProcessStatus?)
        /// It said what nobody asked for, or what is no message.
        case nonsense
        case tooMuch
        case overdue

        var sentence: String {
            switch self {
            case .notStarted(let reason): "cannot be started: \(reason)"
            case .ended(.exited(let code)?): "ended with status \(code)"
            case .ended(.signaled(let signal)?): "was ended by signal \(signal)"
            case .ended(nil): "ended"
            case .nonsense: "said something that is no answer"
            case .tooMuch: "said more than it was asked for"
            case .overdue: "took too long"
            }
        }
    }

    private enum State { case starting, running(PidFD), over }

    private let queue: DispatchQueue
    private let worker: DispatchQueue
    private var state = State.starting
    /// The other end is its input and its output.
    private var stream: Descriptor?
    private var asked: [Int64: (Result<JSONValue, RPCError>) -> Void] = [:]
    private var output: [UInt8] = []
    private var framer = LineFramer(limit: HelperProcess.longestAnswer)
    /// Bytes that it may still say.
    private var left = 0
    private var isFinished = false
    private var isUnwanted = false
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var watch: (any DispatchSourceRead)?
    private var trouble: Trouble?
    var onStart: (PidFD) -> Void = { _ in }
    /// It is over; why, unless it was needed no more.
    var onEnd: (Trouble?) -> Void = { _ in }

    /// Bytes, as JSON.
    private static let longestAnswer = 65_536
    /// What it has to end by itself in.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// - Parameter worker: starting waits for the program to be loaded.
    init(_ program: HelperProgram, on queue: DispatchQueue, worker: DispatchQueue) {
        self.queue = queue
        self.worker = worker
        worker.async { [self] in
            let started = Self.start(program)
            queue.async { [self] in began(started) }
        }
    }

    private static func start(_ program: HelperProgram) -> Result<(PidFD, Descriptor), Trouble> {
        do {
            let (ours, theirs) = try UnixSocket.pair()
            try ours.setNonblocking(true)
            return .success((try program.spawn(theirs).start(), ours))
        } catch {
            return .failure(.notStarted("\(error)"))
        }
    }

    private func began(_ started: Result<(PidFD, Descriptor), Trouble>) {
        switch started {
        case .failure(let trouble): end(self.trouble ?? trouble)
        case .success(let (process, stream)):
            guard case .starting = state else { return discard(process) }
            state = .running(process)
            self.stream = stream
            let watch = DispatchSource.makeReadSource(fileDescriptor: process.descriptor.rawValue, queue: queue)
            watch.setEventHandler { [weak self] in self?.died(process) }
            watch.setCancelHandler { withExtendedLifetime(process) {} }
            watch.resume()
            self.watch = watch
            let reader = DispatchSource.makeReadSource(fileDescriptor: stream.rawValue, queue: queue)
            reader.setEventHandler { [weak self] in self?.read() }
            reader.setCancelHandler { withExtendedLifetime(stream) {} }
            reader.resume()
            self.reader = reader
            onStart(process)
            flush()
        }
    }

    /// It is wanted no more before it has begun.
    private func discard(_ process: PidFD) {
        try? process.send(9)
        worker.async {
            _ = process.waitUntilDead(milliseconds: 1000)
            _ = process.reap()
        }
    }

    // MARK: Asking

    /// It may be asked more.
    var isOpen: Bool {
        if case .over = state { return false }
        return trouble == nil && !isFinished && !isUnwanted
    }

    func ask(
        _ id: Int64, _ method: NotificationHelperMessage, _ params: JSONValue,
        _ answer: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        asked[id] = answer
        left += Self.longestAnswer
        say(.request(id: .int(id), method: method.rawValue, params: params))
    }

    func tell(_ method: NotificationHelperMessage) { say(.notification(method: method.rawValue, params: .null)) }

    private func say(_ message: RPCMessage) {
        output += message.encoded()
        flush()
    }

    private func flush() {
        guard let stream else { return }
        while !output.isEmpty {
            guard let sent = try? stream.send(output[...]) else { return fail(.ended(nil)) }
            guard case .bytes(let count) = sent else { break }
            output.removeFirst(count)
        }
        if output.isEmpty {
            writer?.cancel()
            writer = nil
        } else if writer == nil {
            let writer = DispatchSource.makeWriteSource(fileDescriptor: stream.rawValue, queue: queue)
            writer.setEventHandler { [weak self] in self?.flush() }
            writer.setCancelHandler { withExtendedLifetime(stream) {} }
            writer.resume()
            self.writer = writer
        }
    }

    // MARK: Hearing

    private func read() {
        guard let stream else { return }
        var bytes: [UInt8] = []
        switch try? stream.read(into: &bytes, upTo: min(left + 1, 1 << 16)) {
        case .wouldBlock: return
        // Its end says why; one that goes on without a voice is of no use.
        case .end, nil: finish()
        case .bytes:
            left -= bytes.count
            guard left >= 0 else { return fail(.tooMuch) }
            framer.append(bytes)
            do throws(WireError) {
                while isOpen, let line = try framer.next() { hear(line) }
            } catch {
                fail(.tooMuch)
            }
        }
    }

    private func hear(_ line: [UInt8]) {
        guard let message = try? RPCMessage.parse(line) else { return fail(.nonsense) }
        switch message {
        case .response(.int(let id), let result): answered(id, .success(result))
        case .failure(.int(let id)?, let error): answered(id, .failure(error))
        case .request, .notification, .response, .failure: fail(.nonsense)
        }
    }

    private func answered(_ id: Int64, _ result: Result<JSONValue, RPCError>) {
        guard let answer = asked.removeValue(forKey: id) else { return fail(.nonsense) }
        answer(result)
    }

    // MARK: Its end

    /// Nothing more will be asked: it ends by itself when it sees that, or is killed.
    func finish() {
        guard isOpen else { return }
        isFinished = true
        closeStream()
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.terminate() }
    }

    /// What it was asked is not answered any more.
    func fail(_ trouble: Trouble) {
        if self.trouble == nil { self.trouble = trouble }
        terminate()
    }

    /// It is not wanted any more, whatever it is at.
    func kill() {
        isUnwanted = true
        terminate()
    }

    private func terminate() {
        switch state {
        case .starting: end(trouble)
        case .running(let process): try? process.send(9)
        case .over: break
        }
    }

    private func died(_ process: PidFD) {
        // What it said last comes before its end.
        var before = Int.max
        while trouble == nil, stream != nil, left < before {
            before = left
            read()
        }
        let status = process.reap()
        end(trouble ?? (isUnwanted || asked.isEmpty && isFinished ? nil : .ended(status)))
    }

    private func end(_ trouble: Trouble?) {
        if case .over = state { return }
        state = .over
        closeStream()
        watch?.cancel()
        (watch, asked) = (nil, [:])
        onEnd(trouble)
    }

    private func closeStream() {
        reader?.cancel()
        writer?.cancel()
        (reader, writer, stream, output) = (nil, nil, nil, [])
    }
}
