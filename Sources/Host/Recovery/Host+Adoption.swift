internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Takes over what lives of the apps. Of more than a few it does so a slice at a time: tools are answered meanwhile,
/// and what they want changed waits until the Core has been told of all.
final class Adoption {
    private unowned let host: Host
    private var groups: [String: LivingGroup] = [:]
    private let done: () -> Void
    private var found: [AdoptedApp] = []
    /// Those before it have been looked at.
    private var next = 0
    /// What happened meanwhile.
    private var held: [Event] = []

    /// So many take a few milliseconds.
    static let slice = 128
    /// Looks that are under way at once: an app that is being suspended waits for no more than these.
    fileprivate static let looks = 16

    init(_ host: Host, then done: @escaping () -> Void) {
        self.host = host
        self.done = done
    }

    /// Apps that are still to be looked at.
    var left: Int { host.apps.count - next }

    /// Whether the Core is told of an event now. What is known of an app that is being taken over, and what tools
    /// want, comes after it knows what lives: it forgets then who waits. Of an app that was to be uninstalled meanwhile
    /// nothing is installed before that (`InstallOrder`).
    func takes(_ event: Event) -> Bool {
        switch event {
        case .adopted, .installed: return true
        default:
            held.append(event)
            return false
        }
    }

    func begin(_ groups: [String: LivingGroup]) {
        self.groups = groups
        // The keeper tells how a process ended before it collects it.
        host.keeperLink?.ready()
        go()
    }

    private func go() {
        // Apps that are installed meanwhile are behind the others.
        for app in host.apps[next...].prefix(Self.slice) {
            if let state = host.system.app(app.index), let one = host.adopt(app, state, groups) { found.append(one) }
            next += 1
        }
        if left > 0 {
            host.loop.soon { [weak self] in self?.go() }
        } else {
            finish()
        }
    }

    private func finish() {
        host.post(.adopted(found))
        host.endAdoption()
        for event in held { host.post(event) }
        host.lookAtSuspended(found.map(\.app)[...])
        done()
    }
}

extension Host {
    /// What they have locked, and their sockets: so many at once, since an app that is being suspended waits for them.
    fileprivate func lookAtSuspended(_ apps: ArraySlice<AppIndex>) {
        for index in apps.prefix(Adoption.looks) {
            guard let process = host(index)?.process, let state = system.app(index)?.state else { continue }
            if state == .suspended { mechanisms.adopt(index, process) }
            if state == .suspended || state == .background { mechanisms.inBackground(index, process) }
        }
        let rest = apps.dropFirst(Adoption.looks)
        guard !rest.isEmpty else { return }
        // The lane is in order: when it comes to this, those are done.
        workers.run(.locks) {
        } then: { [weak self] in
            self?.lookAtSuspended(rest)
        }
    }

    /// Finds what lives of an app.
    fileprivate func adopt(_ app: AppHost, _ state: App, _ groups: [String: LivingGroup]) -> AdoptedApp? {
        guard environment.cgroup != nil else { return adoptSession(app, state) }
        let name = app.installation.identifier
        guard let group = groups[name] else { return missing(app, state, LivingGroup.Birth(of: name, home)?.pid) }
        let birth = group.birth?.pid
        let box = CgroupBox(path: group.path, begun: group.watch)
        // The first process also when it is dead: as long as the keeper has not collected it, its status is still to
        // come.
        let isFirst = group.first.map { group.processes.contains($0.pid) || state.process != .none } ?? false
        guard let first = isFirst ? group.first : group.oldest else {
            box.remove()
            return missing(app, state, birth)
        }
        let isKnown = group.birth.map { $0.isComplete && $0.pid == first.pid } ?? false
        let process = begin(box, first, app, state, isNoted: isKnown, isFrozen: group.isFrozen)
        if group.isFrozen { process.standing = group.processes }
        return found(first, app, birth, isFrozen: group.isFrozen)
    }

    /// Without cgroups.
    private func adoptSession(_ app: AppHost, _ state: App) -> AdoptedApp? {
        let birth = LivingGroup.Birth(of: app.installation.identifier, home)?.pid
        let box = SessionBox()
        if let birth { box.begin(with: birth) }
        guard let first = firstOrOldest(box, birth, isKnown: state.process != .none) else {
            box.remove()
            return missing(app, state, birth)
        }
        _ = begin(box, first, app, state, isNoted: false, isFrozen: false)
        return found(first, app, birth, isFrozen: box.isFrozen)
    }

    private func begin(
        _ box: any ProcessBox, _ first: PidFD, _ app: AppHost, _ state: App, isNoted: Bool, isFrozen: Bool
    ) -> AppProcess {
        // A process that the Core knows nothing of gets the number that the Core will give it to end it.
        let generation = state.process == .none ? state.generation.next : state.generation
        let process = AppProcess(generation: generation, box: box, startedAt: state.since)
        process.mayShareBackground = true
        begin(process, of: app)
        adopt(first, app.index, process)
        // The counter of the daemon that died went with it.
        let group = environment.cgroupPath(app.installation.identifier)
        let counter = group.flatMap { try? traffic.program?.count($0) }
        traffic.begin(app.index, generation, counter, isNew: false)
        if !isNoted { noteBirth(first, of: app) }
        return process
    }

    private func found(_ first: PidFD, _ app: AppHost, _ birth: CInt?, isFrozen: Bool) -> AdoptedApp {
        let pid = first.pid
        let status =
            birth == pid ? nil : birth.flatMap { orphanStatuses[$0] } ?? (birth == nil ? nil : ExitStatus.unknown)
        return AdoptedApp(app: app.index, pid: pid, isFrozen: isFrozen, status: status)
    }

    private func missing(_ app: AppHost, _ state: App, _ birth: CInt?) -> AdoptedApp? {
        guard state.process != .none else { return nil }
        let pid = birth ?? state.pid
        return AdoptedApp(app: app.index, pid: nil, isFrozen: false, status: pid.flatMap { orphanStatuses[$0] })
    }

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
        return LivingGroup.oldest(of: pids, procFS)
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

    /// As many as apps can end at once.
    private static let keptStatuses = Int(HostEnvironment.uidCount) * 2

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
        if host.orphanStatuses.count > Self.keptStatuses { host.orphanStatuses = [:] }
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
