internal import AudioCore
internal import Dispatch
internal import Glibc
internal import LinuxSystem
internal import Model
internal import ServiceKit

/// The program `greenroom-audiod`: who sounds, how loud, and whom controls belong to.
package enum AudioProgram {
    /// Serves until it is told to end or nobody needs it, then ends the process: 0 after an orderly end, or when
    /// another serves this folder already; 1 when it cannot serve, 2 for wrong arguments.
    package static func run(_ arguments: [String]) -> Never {
        do {
            let options = try Options(arguments)
            try Program(options).serve()
        } catch let error as UsageError {
            StandardError.write("greenroom-audiod: \(error.sentence)\n")
            exit(2)
        } catch {
            StandardError.write("greenroom-audiod: \(error)\n")
            exit(1)
        }
    }

    struct UsageError: Error {
        let sentence: String
    }

    struct Options {
        /// Seconds without anything to do after which the process ends.
        var idleExit = 30.0
        /// Seconds of silence out of sight that count as playing; `nil`: as the device's profile has it.
        var silence: Double?

        init(_ arguments: [String]) throws {
            var rest = arguments.dropFirst()
            while let option = rest.popFirst() {
                func seconds() throws -> Double {
                    guard let text = rest.popFirst(), let seconds = Double(text), seconds >= 0, seconds < 1e9 else {
                        throw UsageError(sentence: "\(option) needs a number of seconds")
                    }
                    return seconds
                }
                switch option {
                case "--idle-exit": idleExit = try seconds()
                case "--silence": silence = try seconds()
                default: throw UsageError(sentence: "unknown option \(option)")
                }
            }
        }
    }
}

/// The process around a service.
///
/// Unchecked: what it holds is made before the queue runs anything, and touched on the queue only from then on.
private final class Program: @unchecked Sendable {
    private let options: AudioProgram.Options
    private let queue = DispatchQueue(label: "greenroom.audio", qos: .userInteractive)
    private var sources: [any DispatchSourceRead] = []

    init(_ options: AudioProgram.Options) { self.options = options }

    func serve() throws -> Never {
        // Before there is a second thread: the signals are nobody's but the descriptor's.
        let signals = try SignalFD([SIGTERM, SIGINT])
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        guard let broker = BrokerConnection(queue) else {
            throw AudioProgram.UsageError(
                sentence: "it is started by the daemon of a Greenroom system, which says where it listens")
        }
        let home = broker.folder
        try FileSystem.makeDirectory(home)
        let folder = try Directory(opening: home)
        try folder.descriptor.changeMode(to: 0o700)
        let lock = try folder.open("lock", .readWrite, create: 0o600)
        guard try lock.lock() else {
            StandardError.write("greenroom-audiod: already served\n")
            exit(0)
        }
        // The daemon starts it again while this is there.
        try FileSystem.replace(home + "/unfinished", with: [])
        let store = try AudioStore(folder: home)
        let service = Service(
            queue: queue, store: store, broker: broker, idleExit: options.idleExit, silence: options.silence
        ) { isDone in
            for name in ["control"] + (isDone ? ["unfinished"] : []) { FileSystem.remove("\(home)/\(name)") }
            exit(0)
        }
        try listen("\(home)/control", service)
        watch(signals.descriptor) { if signals.next() != nil { service.end(isDone: service.isIdle) } }
        queue.async { service.start() }
        // `dispatchMain` would let the signals through on this thread.
        while true { withExtendedLifetime(lock) { DispatchSemaphore(value: 0).wait() } }
    }

    private func listen(_ path: String, _ service: Service) throws(SystemError) {
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        watch(listener) {
            // A turn's worth: the source fires again for more.
            for _ in 0..<16 {
                guard let socket = try? UnixSocket.accept(listener) else { return }
                service.accept(socket)
            }
        }
    }

    private func watch(_ descriptor: Descriptor, _ body: @escaping () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler(handler: body)
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
        sources.append(source)
    }
}
