internal import Dispatch
internal import LinuxSystem
internal import NotificationsWire

/// One process that converts one sound. It receives its input and output as open files, starts no other process, and
/// cannot write elsewhere.
///
/// Unchecked: used on the service's queue only.
final class Converter: @unchecked Sendable {
    enum Trouble: Error, CustomStringConvertible {
        case notStarted(String)
        case ended(ProcessStatus?)

        var description: String {
            switch self {
            case .notStarted(let reason): "greenroom-sound cannot be started: \(reason)"
            case .ended(.exited(let code)?): "greenroom-sound ended with status \(code)"
            case .ended(.signaled(let signal)?): "greenroom-sound was ended by signal \(signal)"
            case .ended(nil): "greenroom-sound ended"
            }
        }
    }

    private let queue: DispatchQueue
    private let worker: DispatchQueue
    private let program: String
    private var process: PidFD?
    private var watch: (any DispatchSourceRead)?
    private var isStopped = false
    /// Called once, on the queue.
    var onEnd: (Result<NotificationSoundOutcome, Trouble>) -> Void = { _ in }

    private static let (addressSpace, data): (UInt64, UInt64) = (1 << 30, 256 << 20)
    /// Half a minute in the highest quality, with its header.
    private static let file: UInt64 = 6 << 20
    /// A notification waits for its sound for this duration.
    private static let (processorSeconds, seconds): (UInt64, Double) = (3, 5)

    init(_ program: String, on queue: DispatchQueue, worker: DispatchQueue) {
        (self.program, self.queue, self.worker) = (program, queue, worker)
    }

    /// - Parameter user: `nil`: this process's.
    func run(_ input: Descriptor, to path: String, as user: UInt32?) {
        let program = program
        // Starting waits for the program to be loaded.
        worker.async { [self] in
            let started = Self.start(program, input, path, user)
            queue.async { [self] in
                switch started {
                case .failure(let trouble): onEnd(.failure(trouble))
                case .success(let process): began(process)
                }
            }
        }
    }

    private static func start(
        _ program: String, _ input: Descriptor, _ path: String, _ user: UInt32?
    ) -> Result<PidFD, Trouble> {
        do {
            try FileSystem.makeDirectory(
                path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }, mode: 0o755)
            let output = try Descriptor.open(
                path, .write, create: 0o644, truncate: true, followsLinks: false)
            var spawn = Spawn(path: program, arguments: [program], environment: environment)
            spawn.directory = "/"
            spawn.uid = user
            spawn.descriptors = [(input, 0), (output, 1), (Descriptor(borrowing: 2), 2)]
            spawn.oomScore = 1000
            spawn.limits = [
                .init(.coreSize, 0), .init(.processorSeconds, processorSeconds), .atMost(.addressSpace, addressSpace),
                .atMost(.data, data), .atMost(.fileSize, file), .atMost(.openFiles, 64), .atMost(.lockedMemory, 0),
                .atMost(.messageQueues, 0),
            ]
            var confinement = Spawn.Confinement()
            confinement.isAlone = true
            confinement.sharesUser = user == nil
            confinement.writable = ["/dev/null"]
            spawn.confinement = confinement
            return .success(try spawn.start())
        } catch {
            return .failure(.notStarted("\(error)"))
        }
    }

    private static var environment: [String] {
        ["LD_LIBRARY_PATH"].compactMap { name in CurrentProcess.environment(name).map { "\(name)=\($0)" } }
            + ["LANG=C.UTF-8", "MALLOC_ARENA_MAX=2", "SWIFT_BACKTRACE=enable=no"]
    }

    private func began(_ process: PidFD) {
        self.process = process
        let watch = DispatchSource.makeReadSource(fileDescriptor: process.descriptor.rawValue, queue: queue)
        watch.setEventHandler { [self] in
            self.watch?.cancel()
            self.watch = nil
            self.process = nil
            onEnd(Self.result(process.reap()))
        }
        watch.setCancelHandler { withExtendedLifetime(process) {} }
        watch.resume()
        self.watch = watch
        if isStopped { stop() }
        queue.asyncAfter(deadline: .now() + Self.seconds) { [weak self] in self?.stop() }
    }

    private static func result(_ status: ProcessStatus?) -> Result<NotificationSoundOutcome, Trouble> {
        guard case .exited(let code)? = status, let outcome = NotificationSoundOutcome(rawValue: code) else {
            return .failure(.ended(status))
        }
        return .success(outcome)
    }

    /// Kills the process. `onEnd` is still called.
    func stop() {
        isStopped = true
        // The process may have ended already.
        try? process?.send(9)
    }
}
