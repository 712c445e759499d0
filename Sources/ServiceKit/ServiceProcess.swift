package import Dispatch
internal import Glibc
package import LinuxSystem

/// What a service's process serves. All of it is called on the queue.
package protocol ServedService: AnyObject, Sendable {
    func start()
    /// A tool's connection that has just been made.
    func accept(_ socket: Descriptor)
    /// The process has been told to end.
    func end()
}

/// Wrong arguments, or nobody to serve for.
package struct ServiceUsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ sentence: String) { description = sentence }
}

/// The process around a service that the daemon has started: one for each folder, with a socket for tools, until
/// nobody needs it or a signal ends it.
///
/// Unchecked: what it holds is made before the queue runs anything, and touched on the queue only from then on.
package final class ServiceProcess: @unchecked Sendable {
    /// Of the program, for what it says of itself.
    private let program: String
    package let queue: DispatchQueue
    package let broker: BrokerConnection
    private let signals: SignalFD
    private let lock: Descriptor
    private var sources: [any DispatchSourceRead] = []

    /// Where what it must not forget lies.
    package var folder: String { broker.folder }

    /// Before there is a second thread: the signals are nobody's but the descriptor's. Ends the process where another
    /// serves the folder already.
    package init(_ program: String, queue: DispatchQueue) throws {
        self.program = program
        self.queue = queue
        signals = try SignalFD([SIGTERM, SIGINT])
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        guard let broker = BrokerConnection(queue) else {
            throw ServiceUsageError("it is started by the daemon of a Greenroom system, which says where it listens")
        }
        self.broker = broker
        try FileSystem.makeDirectory(broker.folder)
        let folder = try Directory(opening: broker.folder)
        try folder.descriptor.changeMode(to: 0o700)
        lock = try folder.open("lock", .readWrite, create: 0o600)
        guard try lock.lock() else {
            StandardError.write("\(program): already served\n")
            exit(0)
        }
        // The daemon starts it again while this is there.
        try FileSystem.replace(broker.folder + "/unfinished", with: [])
    }

    /// Serves until `finish`.
    package func serve(_ service: any ServedService) throws -> Never {
        let listener = try UnixSocket.listen(at: folder + "/control", mode: 0o600)
        watch(listener) {
            // A turn's worth: the source fires again for more.
            for _ in 0..<16 {
                guard let socket = try? UnixSocket.accept(listener) else { return }
                service.accept(socket)
            }
        }
        watch(signals.descriptor) { [signals] in if signals.next() != nil { service.end() } }
        queue.async { service.start() }
        // `dispatchMain` would let the signals through on this thread.
        while true { withExtendedLifetime(lock) { DispatchSemaphore(value: 0).wait() } }
    }

    /// Ends the process.
    ///
    /// - Parameter isDone: nothing is left to do, so that nobody starts it again before somebody needs it.
    package func finish(isDone: Bool) -> Never {
        for name in ["control"] + (isDone ? ["unfinished"] : []) { FileSystem.remove("\(folder)/\(name)") }
        exit(0)
    }

    private func watch(_ descriptor: Descriptor, _ body: @escaping () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler(handler: body)
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
        sources.append(source)
    }

    // MARK: Beginning

    /// Runs a program: 1 when it cannot serve, 2 for wrong arguments.
    package static func run(_ program: String, _ body: () throws -> Never) -> Never {
        do {
            try body()
        } catch let error as ServiceUsageError {
            StandardError.write("\(program): \(error)\n")
            exit(2)
        } catch {
            StandardError.write("\(program): \(error)\n")
            exit(1)
        }
    }

    /// Reads options that are followed by a number of seconds each.
    ///
    /// - Parameter take: false: there is no such option.
    package static func readSeconds(
        _ arguments: [String], _ take: (_ option: String, _ seconds: Double) -> Bool
    ) throws(ServiceUsageError) {
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            let seconds = rest.popFirst().flatMap(Double.init)
            guard take(option, seconds ?? 0) else { throw ServiceUsageError("unknown option \(option)") }
            guard let seconds, seconds >= 0, seconds < 1e9 else {
                throw ServiceUsageError("\(option) needs a number of seconds")
            }
        }
    }
}
