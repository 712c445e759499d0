internal import Dispatch
internal import Glibc
internal import LinuxSystem
internal import ServiceKit
internal import SystemPackage
internal import TransferCore
internal import TransferWire
internal import Wire

/// The program `greenroom-transferd`: transfers that outlive whoever asked for them.
package enum TransferProgram {
    /// Serves until it is told to end or nobody needs it, then ends the process: 0 after an orderly end, or when
    /// another serves this folder already; 1 when it cannot serve, 2 for wrong arguments.
    package static func run(_ arguments: [String]) -> Never {
        do {
            let options = try Options(arguments)
            try Program(options).serve()
        } catch let error as UsageError {
            StandardError.write("greenroom-transferd: \(error.sentence)\n")
            exit(2)
        } catch {
            Diagnostics.write("\(error)")
            exit(1)
        }
    }

    struct UsageError: Error {
        let sentence: String
    }

    struct Options {
        var home = ""
        var idleExit = 30.0
        var isSystem = false
        /// Where an earlier version kept its records, from the home on.
        var formerly: String?

        init(_ arguments: [String]) throws {
            var rest = arguments.dropFirst()
            while let option = rest.popFirst() {
                switch option {
                case "--system": isSystem = true
                case "--formerly":
                    guard let path = rest.popFirst() else { throw UsageError(sentence: "--formerly needs a path") }
                    formerly = path
                case "--home":
                    guard let path = rest.popFirst(), path.hasPrefix("/") else {
                        throw UsageError(sentence: "--home needs an absolute path")
                    }
                    home = path
                case "--idle-exit":
                    guard let text = rest.popFirst(), let seconds = Double(text), seconds >= 0, seconds < 1e9 else {
                        throw UsageError(sentence: "--idle-exit needs a number of seconds")
                    }
                    idleExit = seconds
                default: throw UsageError(sentence: "unknown option \(option)")
                }
            }
            if home.isEmpty {
                let own = isSystem ? CurrentProcess.environment(ServiceEnvironment.folder) : nil
                home = own ?? Self.defaultHome
            }
        }

        private static var defaultHome: String {
            if let own = CurrentProcess.environment("GREENROOM_TRANSFERS") { return own }
            if let state = CurrentProcess.environment("XDG_STATE_HOME") { return state + "/greenroom-transfers" }
            return (CurrentProcess.environment("HOME") ?? "/tmp") + "/.local/state/greenroom-transfers"
        }
    }
}

/// The process around a service.
///
/// Unchecked: what it holds is made before the queue runs anything, and touched on the queue only from then on.
private final class Program: @unchecked Sendable {
    private let options: TransferProgram.Options
    private let queue = DispatchQueue(label: "greenroom.transfers")
    private var service: Service?
    private var sources: [any DispatchSourceRead] = []

    init(_ options: TransferProgram.Options) { self.options = options }

    func serve() throws -> Never {
        // Before there is a second thread: the signals are nobody's but the descriptor's.
        let signals = try SignalFD([SIGTERM, SIGINT])
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        let broker = options.isSystem ? BrokerConnection(queue) : nil
        guard broker != nil || !options.isSystem else {
            throw TransferProgram.UsageError(sentence: "--system is for the daemon, which says where it listens")
        }
        try FileSystem.makeDirectory(options.home)
        let home = try Directory(opening: options.home)
        try home.descriptor.changeMode(to: 0o700)
        let lock = try home.open("lock", .readWrite, create: 0o600)
        guard try lock.lock() else {
            StandardError.write("greenroom-transferd: already served\n")
            exit(0)
        }
        let began = ProcFS().stat(CurrentProcess.pid)?.startTime ?? 0
        try FileSystem.replace(options.home + "/pid", with: Array("\(CurrentProcess.pid) \(began)\n".utf8))
        if broker != nil {
            // The daemon starts it again while this is there.
            try FileSystem.replace(options.home + "/unfinished", with: [])
            options.formerly.map { Recovery.adopt(options.home + "/" + $0, in: options.home) }
        }
        let files = try TransferFiles(home: home)
        let marks = makeMarks(home)
        let store = try TransferStore(path: options.home + "/transfers.sqlite")
        var contents = try store.contents()
        try Recovery.recover(&contents, store, files)
        let service = makeService(store, contents, files, marks, broker, try NetworkLoop())
        self.service = service
        if !options.isSystem { try listen("client", service, isControl: false) }
        try listen("control", service, isControl: true)
        watch(signals.descriptor) { if signals.next() != nil { service.end(isDone: service.system.isIdle) } }
        queue.async { service.start(after: marks?.fault) }
        // `dispatchMain` would let the signals through on this thread.
        while true { withExtendedLifetime(lock) { DispatchSemaphore(value: 0).wait() } }
    }

    /// Without them, too, there is a service.
    private func makeMarks(_ home: Directory) -> FaultMarks? {
        do throws(SystemError) {
            let marks = try FaultMarks(in: home, named: "running")
            try marks.listen()
            return marks
        } catch {
            Diagnostics.write("what runs when the service ends by a fault will not be known: \(error)")
            return nil
        }
    }

    private func makeService(
        _ store: TransferStore, _ contents: TransferStore.Contents, _ files: TransferFiles, _ marks: FaultMarks?,
        _ broker: BrokerConnection?, _ network: NetworkLoop
    ) -> Service {
        let gate = Gate()
        let service = Service(
            queue: queue, store: store, contents: contents, files: files, broker: broker, gate: gate,
            idleExit: options.idleExit
        ) { [self] isDone in
            for name in ["control", "client", "pid"] + (isDone ? ["unfinished"] : []) {
                FileSystem.remove("\(options.home)/\(name)")
            }
            // Libraries that clean up at the end would do so beside threads that still work.
            _exit(0)
        }
        let memory = SessionMemory(cookies: contents.cookies) { [unowned service] session, jar in
            service.queue.async { service.enqueue(Service.Batch(changes: [.cookies(session, jar)], effects: [])) }
        }
        let tools = ExchangeTools(
            network: network, workers: FileSink.Workers(), memory: memory, files: files,
            gate: gate, report: { [unowned service] in service.report($0) },
            onTraffic: { [unowned service] in service.account($0, received: $1, sent: $2) })
        service.memory = memory
        service.transfers = HTTPTransfers(
            tools, marks: marks, interopVersion: service.system.rules.uploadInteropVersion)
        return service
    }

    private func listen(_ name: String, _ service: Service, isControl: Bool) throws(SystemError) {
        let listener = try UnixSocket.listen(at: "\(options.home)/\(name)", mode: 0o600)
        watch(listener) {
            // A turn's worth: the source fires again for more.
            for _ in 0..<16 {
                guard let socket = try? UnixSocket.accept(listener) else { return }
                service.accept(socket, isControl: isControl)
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
