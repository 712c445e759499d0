internal import LinuxSystem
internal import Model
internal import Wire

/// The process of one service: started when it is needed, found again by the next daemon, and ended with the system.
final class ServiceProcess {
    private unowned let host: Host
    private let service: DeclaredService
    private let folder: String
    private(set) var present: PidFD?
    private var watch: Loop.Watch?
    private(set) var isStarting = false
    private var startedAt: Int64 = 0
    /// Deaths in a row, each soon after a start.
    private var quickDeaths = 0
    var onEnd: () -> Void = {}
    /// It could not be started, or said nothing in time.
    var onFailure: (RPCError) -> Void = { _ in }

    private static let quick: Int64 = 1_000_000_000
    private static let longestPause: Int64 = 1_000_000_000
    init(_ host: Host, _ service: DeclaredService) {
        self.host = host
        self.service = service
        folder = host.home.serviceFolder(service.declaration.name)
    }

    private var file: String { folder + "/pid" }

    /// One that an earlier daemon started goes on.
    func find() {
        let fields = (FileSystem.read(file, limit: 64) ?? []).split { $0 == 0x20 || $0 == 0x0A }
        let numbers = fields.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2, let pid = CInt(exactly: numbers[0]), let found = try? PidFD(pid),
            let stat = ProcFS().stat(pid), stat.startTime == numbers[1], !stat.isOver
        else { return }
        attend(found)
    }

    /// Somebody said its name whom the daemon did not start: a developer, by hand.
    func attendPeer(_ process: PidFD?) {
        if present == nil, !isStarting, let process { attend(process) }
    }

    /// Nanoseconds until it may be started again.
    var pause: Int64 { quickDeaths > 3 ? min(Self.longestPause, 10_000_000 << Int64(min(20, quickDeaths - 3))) : 0 }

    func start() {
        guard present == nil, !isStarting else { return }
        isStarting = true
        let (service, folder, socket) = (service, folder, host.home.serviceSocket)
        host.workers.run(.launches) { () -> Result<PidFD, RPCError> in
            do {
                try FileSystem.makeDirectory(folder, mode: 0o700)
                let null = try Descriptor.open("/dev/null", .readWrite)
                let log = try Descriptor.open(folder + "/log", .append, create: 0o600)
                var environment = CurrentProcess.allEnvironment
                environment += [
                    "\(ServiceEnvironment.name)=\(service.declaration.name)", "\(ServiceEnvironment.socket)=\(socket)",
                    "\(ServiceEnvironment.folder)=\(folder)",
                ]
                var spawn = Spawn(
                    path: service.program, arguments: [service.program] + service.arguments, environment: environment)
                spawn.directory = folder
                spawn.descriptors = [(null, 0), (log, 1), (log, 2)]
                return .success(try spawn.start())
            } catch {
                return .failure(RPCError(.internalError, "\(service.program) cannot be started: \(error)"))
            }
        } then: { [weak self] outcome in
            guard let self else { return }
            isStarting = false
            switch outcome {
            case .success(let process):
                startedAt = Clock.boot()
                let born = ProcFS().stat(process.pid)?.startTime ?? 0
                try? FileSystem.replaceOrOverwrite(file, with: Array("\(process.pid) \(born)\n".utf8))
                attend(process)
            case .failure(let error): onFailure(error)
            }
        }
    }

    private func attend(_ process: PidFD) {
        present = process
        watch = try? host.loop.watch(process.descriptor.rawValue, .readable) { [unowned self] _ in
            _ = process.reap()
            watch = nil
            present = nil
            quickDeaths = Clock.boot() - startedAt < Self.quick ? quickDeaths + 1 : 0
            onEnd()
        }
    }

    /// Nothing that it said is lost with it.
    func kill() { try? present?.send(9) }

    func end() { try? present?.send(15) }

    func waitForEnd(milliseconds: CInt) {
        guard let present, !present.waitUntilDead(milliseconds: milliseconds) else { return }
        try? present.send(9)
        _ = present.waitUntilDead(milliseconds: 1000)
    }
}
