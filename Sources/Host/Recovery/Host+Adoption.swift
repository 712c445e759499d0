internal import LinuxSystem
internal import Model
internal import PolicyCore

extension Host {
    /// Finds what lives of every app, and tells the Core.
    func adoptAll() {
        var found: [AdoptedApp] = []
        for app in apps {
            guard let state = system.app(app.index) else { continue }
            if let one = adopt(app, state) { found.append(one) }
        }
        post(.adopted(found))
        for app in apps where system.app(app.index)?.state == .suspended {
            if let process = app.process {
                mechanisms.adopt(app.index, process)
            }
        }
    }

    private func adopt(_ app: AppHost, _ state: App) -> AdoptedApp? {
        let birth = self.birth(app.installation.identifier)
        let box: any ProcessBox
        if let path = environment.cgroupPath(app.installation.identifier) {
            guard FileSystem.exists(path), let group = try? CgroupBox(path: path) else {
                return missing(app, state, birth)
            }
            box = group
        } else {
            let session = SessionBox()
            if let birth { session.begin(with: birth) }
            box = session
        }
        guard let first = firstOrOldest(box, birth, isKnown: state.process != .none) else {
            box.remove()
            return missing(app, state, birth)
        }
        let pid = first.pid
        // A process that the Core knows nothing of gets the number that the Core will give it to end it.
        let generation = state.process == .none ? state.generation.next : state.generation
        let process = AppProcess(generation: generation, box: box, startedAt: state.since)
        process.mayShareBackground = true
        app.begin(process)
        adopt(first, app.index, process)
        // The counter of the daemon that died went with it.
        let group = environment.countsInKernel ? environment.cgroupPath(app.installation.identifier) : nil
        traffic.begin(app.index, generation, group.flatMap { try? TrafficCounter(group: $0) }, isNew: false)
        let status =
            birth == pid ? nil : birth.flatMap { orphanStatuses[$0] } ?? (birth == nil ? nil : ExitStatus.unknown)
        return AdoptedApp(app: app.index, pid: pid, isFrozen: box.isFrozen, status: status)
    }

    private func missing(_ app: AppHost, _ state: App, _ birth: CInt?) -> AdoptedApp? {
        guard state.process != .none else { return nil }
        let pid = birth ?? state.pid
        return AdoptedApp(app: app.index, pid: nil, isFrozen: false, status: pid.flatMap { orphanStatuses[$0] })
    }

    /// The first process's pid as it was written at birth, if that process is still the one.
    private func birth(_ app: String) -> CInt? {
        guard let bytes = FileSystem.read(home.birth(app), limit: 64) else { return nil }
        let fields = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard let pid = fields.first.flatMap({ CInt($0) }) else { return nil }
        if fields.count > 1, let start = UInt64(fields[1]) {
            if let stat = ProcFS().stat(pid), stat.startTime != start { return nil }
        } else if ProcFS().environment(pid)?.contains("GREENROOM_APP=\(app)") != true {
            return nil
        }
        return pid
    }

    /// The first process also when it is dead: as long as the keeper has not collected it, its status is still to come.
    private func firstOrOldest(_ box: any ProcessBox, _ birth: CInt?, isKnown: Bool) -> PidFD? {
        let pids = box.processes()
        let procFS = ProcFS()
        if let birth, pids.contains(birth) || isKnown && procFS.stat(birth)?.isOver == true,
            let process = try? PidFD(birth)
        {
            return process
        }
        // The keeper tells how a process ended before it collects it.
        keeperLink?.ready()
        let oldestFirst = pids.sorted { (procFS.stat($0)?.startTime ?? .max) < (procFS.stat($1)?.startTime ?? .max) }
        return oldestFirst.lazy.compactMap { try? PidFD($0) }.first
    }

    /// Processes of a system that left no journal: nobody knows what they were told, so they end.
    func endStrays() {
        guard let root = environment.cgroup else { return }
        for path in Cgroup.children(of: root) where !Cgroup.processes(at: path).isEmpty {
            Diagnostics.write("ending what an earlier system left in \(path)")
            try? Cgroup.kill(at: path)
            endStray(path, tries: 0)
        }
    }
}

extension Host {
    /// What lived through that, until the group is empty, or an app's again.
    private func endStray(_ path: String, tries: Int64) {
        guard tries < 12 else { return Diagnostics.write("what is left in \(path) does not end") }
        loop.after(nanoseconds: 10_000_000 << min(tries, 7)) { [weak self] in
            guard let self,
                !apps.contains(where: {
                    self.environment.cgroupPath($0.installation.identifier) == path && $0.process != nil
                }),
                !Cgroup.processes(at: path).isEmpty
            else { return }
            try? Cgroup.kill(at: path, again: true)
            endStray(path, tries: tries + 1)
        }
    }
}

/// The other end of the keeper's socket: it tells how orphans ended, and its silence that it is dead.
final class KeeperLink {
    private let socket: Descriptor
    /// What its next process goes on with: the listening sockets of tools and apps, and the lock of the home.
    private let handsOn: [Descriptor]
    private let programs: Programs
    private unowned let host: Host
    private var buffer: [UInt8] = []

    init(_ socket: Descriptor, handsOn: [Descriptor], programs: Programs, host: Host) {
        self.socket = socket
        self.handsOn = handsOn
        self.programs = programs
        self.host = host
        // What the keeper knows already is needed for adoption.
        ready()
    }

    /// What it has said until now: of apps that fork and die without end there is always more.
    func ready() {
        var left = socket.unread
        repeat {
            switch try? socket.read(into: &buffer, upTo: 4096) {
            case .bytes(let count):
                left -= count
                parse()
            case .wouldBlock: return
            case .end, nil:
                succeed()
                return
            }
        } while left > 0
    }

    /// From now on what ends this process is no failure to start.
    func tellServing() { _ = try? socket.send(Array("serving\n".utf8)[...]) }

    /// Lines `exit PID KIND NUMBER`.
    private func parse() {
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: buffer[..<end], as: UTF8.self).split(separator: " ")
            buffer.removeSubrange(...end)
            guard words.count == 4, words[0] == "exit", let pid = CInt(words[1]), let number = Int32(words[3]) else {
                continue
            }
            host.orphanStatuses[pid] = words[2] == "signal" ? .signaled(number) : .exited(number)
            host.orphanEnded(pid)
        }
        if host.orphanStatuses.count > 4096 { host.orphanStatuses = [:] }
    }

    /// The keeper died. This process is the parent of the apps that it started: it becomes the keeper, and a new
    /// daemon follows.
    private func succeed() {
        guard !host.isHalting else { return }
        Diagnostics.write("the keeper is gone; taking its place")
        host.workers.finish(.storage)
        do throws(SystemError) {
            for descriptor in handsOn { try descriptor.setNonblocking(true, closeOnExec: false) }
        } catch {
            Diagnostics.write("the sockets cannot be handed on: \(error)")
        }
        let numbers = handsOn.map { String($0.rawValue) }
        let error = CurrentProcess.exec(programs.keeper, [programs.keeper, "succeed", host.home.path] + numbers)
        for descriptor in handsOn { try? descriptor.setNonblocking(true) }
        Diagnostics.write("\(error): going on without a keeper")
    }
}

extension Installation {
    /// An app that the Core knows and the database lost: enough to end it in order.
    init(lost manifest: AppManifest) {
        identifier = manifest.identifier.rawValue
        name = manifest.name
        kind = manifest.kind == .plain ? "plain" : "application"
        executable = ""
        arguments = []
        backgroundModes = manifest.backgroundModes.keys
        exitsOnSuspend = manifest.exitsOnSuspend
        urlSchemes = manifest.urlSchemes
        terminal = false
        freezable = manifest.isFreezable
        graphical = false
    }
}
