internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import SystemPackage
internal import Wire

// Births and deaths.
extension Host {
    func launch(_ index: AppIndex, _ generation: Generation, isBackground: Bool) {
        // A launch that was decided while the daemon started is decided again when it has found no process of it yet.
        guard let app = host(index), process(index, generation) == nil else { return }
        let process: AppProcess
        do {
            process = try makeProcess(app, generation)
        } catch {
            let failure = LaunchFailure(stage: error.operation, errorNumber: error.errno.rawValue, message: "\(error)")
            post(.launchFailed(index, generation, failure))
            return
        }
        if isBackground { mechanisms.bornInBackground(process) }
        begin(process, of: app)
        let (launcher, installation, limit) = (launcher, app.installation, system.profile.processLimit)
        let (group, program) = (environment.cgroupPath(installation.identifier), traffic.program)
        workers.run(.launches) {
            launcher.launch(installation, group: group, counting: program, processLimit: limit)
        } then: { [unowned self] result in
            launched(index, generation, result)
        }
    }

    func begin(_ process: AppProcess, of app: AppHost) {
        app.begin(process)
        moved(app.index)
    }

    func makeProcess(_ app: AppHost, _ generation: Generation) throws(SystemError) -> AppProcess {
        let box: any ProcessBox
        if let path = environment.cgroupPath(app.installation.identifier) {
            // One that could not be removed yet may have been killed: whoever is born into it is killed as well
            // (kernel 6.18).
            try? Cgroup.remove(at: path)
            box = try CgroupBox(path: path)
            // A stale freeze would freeze the next tenant.
            try box.thaw()
        } else {
            box = SessionBox()
        }
        return AppProcess(generation: generation, box: box, startedAt: WallTime(nanoseconds: Clock.wall()))
    }

    private func launched(
        _ index: AppIndex, _ generation: Generation, _ result: Result<Launcher.Launched, LaunchFailure>
    ) {
        guard let app = host(index), let process = process(index, generation) else { return }
        switch result {
        case .failure(let failure):
            end(app)
            post(.launchFailed(index, generation, failure))
        case .success(let launched):
            process.terminalMaster = launched.terminal
            if let holder = launched.holder { keep(holder, index, process) }
            if let socket = launched.socket { connect(socket, index, process) }
            adopt(launched.process, index, process)
            noteBirth(launched.process, of: app)
            traffic.begin(index, generation, launched.counter, isNew: true)
            post(.processStarted(index, generation, pid: launched.process.pid))
        }
    }

    /// Watches an app's first process and its box.
    func adopt(_ first: PidFD, _ index: AppIndex, _ process: AppProcess) {
        process.first = first
        appOfProcess[first.pid] = index
        (process.box as? SessionBox)?.begin(with: first.pid)
        let generation = process.generation
        do {
            try process.box.watch(loop) { [unowned self] in boxChanged(index, generation) }
            process.firstWatch = try loop.watch(first.descriptor.rawValue, .readable) { [unowned self] _ in
                firstEnded(index, generation)
            }
        } catch {
            Diagnostics.write("\(host(index)?.installation.identifier ?? "?") cannot be watched: \(error)")
        }
    }

    /// The child wrote its number alone. With its start that names the process for ever, to the next daemon; not forced
    /// to the disk, since the process does not outlive the machine either.
    func noteBirth(_ first: PidFD, of app: AppHost) {
        let birth = "\(first.pid) \(ProcFS().stat(first.pid)?.startTime ?? 0)\n"
        let path = home.birth(app.installation.identifier)
        do throws(SystemError) {
            try Descriptor.open(path + ".new", .write, create: 0o600, truncate: true).writeAll(Array(birth.utf8))
            try FileSystem.rename(path + ".new", to: path)
        } catch {
            FileSystem.remove(path + ".new")
        }
    }

    /// A holder that dies while its app lives is replaced: the master is held here too.
    private func keep(_ holder: PidFD, _ index: AppIndex, _ process: AppProcess) {
        process.holder = holder
        let generation = process.generation
        process.holderWatch = try? loop.watch(holder.descriptor.rawValue, .readable) { [unowned self] _ in
            _ = holder.reap()
            guard let app = host(index) else { return }
            app.forget(holder: holder)
            guard let process = self.process(index, generation) else { return }
            process.holderWatch = nil
            guard process.box.isPopulated, let master = process.terminalMaster else { return }
            let new = try? TerminalHolder.start(
                keeper: launcher.keeper, master: master, home: home, app: app.installation.identifier)
            if let new { keep(new, index, process) }
        }
    }

    private func firstEnded(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation), let first = process.first, !process.awaitsStatus else { return }
        process.firstWatch = nil
        appOfProcess[first.pid] = nil
        process.awaitsStatus = true
        process.standing = nil
        awaitedStatuses[first.pid] = index
        // Of an orphan the keeper has to collect the status; its word comes a moment after the end, if it lives.
        loop.after(nanoseconds: 1_000_000_000) { [weak self] in self?.settleStatus(index, generation, isLast: true) }
        settleStatus(index, generation, isLast: false)
    }

    /// The keeper said how an orphan ended.
    func orphanEnded(_ pid: CInt) {
        guard let index = awaitedStatuses[pid], let process = host(index)?.process, process.first?.pid == pid else {
            return
        }
        settleStatus(index, process.generation, isLast: false)
    }

    private func settleStatus(_ index: AppIndex, _ generation: Generation, isLast: Bool) {
        guard let process = process(index, generation), process.awaitsStatus, let first = process.first else { return }
        let known = first.reap().map(ExitStatus.init) ?? orphanStatuses.removeValue(forKey: first.pid)
        guard var status = known ?? (isLast ? .unknown : nil) else { return }
        if case .signaled(9) = status, memory?.kernelKills.includes(process.box.memoryFile) == true {
            status = .outOfMemory
        }
        process.awaitsStatus = false
        awaitedStatuses[first.pid] = nil
        post(.firstProcessEnded(index, generation, status))
        hangUp(index, generation)
        // The last process may have been the first one.
        boxChanged(index, generation)
    }

    /// Only the first process speaks for an app (PROTOCOL, 2.5). What it said last counts; a child that holds its
    /// socket open says nothing.
    private func hangUp(_ index: AppIndex, _ generation: Generation) {
        guard let connection = process(index, generation)?.connection else { return }
        connection.drain()
        connection.close()
    }

    /// The kernel has news: frozen, or empty.
    func boxChanged(_ index: AppIndex, _ generation: Generation) {
        guard let app = host(index), let process = process(index, generation), process.first != nil else { return }
        if process.awaitsFreeze, process.box.isFrozen {
            process.awaitsFreeze = false
            post(.frozen(index, generation))
        }
        // Somebody else may have thawed it.
        if process.standing != nil, !process.box.isFrozen { process.standing = nil }
        guard !process.box.isPopulated, self.process(index, generation) === process else { return }
        if process.firstWatch != nil {
            // Its status first: it is the reason of the end.
            if process.first?.isDead == true { firstEnded(index, generation) } else { strays.groupIsEmpty(index) }
            return
        }
        if process.awaitsStatus { return }
        process.connection?.close()
        if self.process(index, generation) === process {
            traffic.end(index, generation)
            endedUsage[index] = process.usedAtEnd ?? process.box.processorTime
            end(app)
            mechanisms.release(index, process)
            post(.allProcessesEnded(index, generation))
        }
    }

    /// Nothing of its process is left.
    private func end(_ app: AppHost) {
        app.end()
        moved(app.index)
        LegacyShares(environment, app.installation.identifier)?.remove()
    }

    func askToEnd(_ index: AppIndex, _ generation: Generation) {
        process(index, generation)?.box.signal(15)
    }

    func kill(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation) else {
            post(.allProcessesEnded(index, generation))
            return
        }
        runsAgain(index, process)
        process.usedAtEnd = process.usedAtEnd ?? process.box.processorTime
        let release = memory?.releaseAfterKill(index)
        defer { release?() }
        // The Core asks again for what it has not heard of yet: with many it may be dead for long.
        if process.killedAt == nil || process.box.isPopulated { killBox(index, process) }
        // A group that was empty already announces nothing.
        loop.soon { [weak self] in self?.boxChanged(index, generation) }
        guard process.killedAt == nil else { return }
        process.killedAt = Clock.boot()
        awaitEnd(index, generation, tries: 0)
    }

    private func killBox(_ index: AppIndex, _ process: AppProcess) {
        do throws(SystemError) {
            try process.box.kill()
        } catch {
            Diagnostics.write("\(host(index)?.installation.identifier ?? "?") could not be killed: \(error)")
        }
    }

    /// A kill may miss a process that is being born, or whose threads play tricks: it is repeated, more and more
    /// rarely, until nothing is left. A process that waits in the kernel ends when that lets it; everything else goes
    /// on meanwhile.
    private func awaitEnd(_ index: AppIndex, _ generation: Generation, tries: Int64) {
        loop.after(nanoseconds: 10_000_000 << min(tries, 7)) { [weak self] in
            guard let self, let process = process(index, generation), process.box.isPopulated else { return }
            killBox(index, process)
            boxChanged(index, generation)
            if tries == 8 { tellWhoStays(index, process) }
            awaitEnd(index, generation, tries: tries + 1)
        }
    }

    private func tellWhoStays(_ index: AppIndex, _ process: AppProcess) {
        let procFS = ProcFS()
        let names = process.box.processes().prefix(8).map { pid in
            "\(pid)" + (procFS.isUninterruptible(pid) ? " (waits in the kernel, for a device or a file server)" : "")
        }
        Diagnostics.write(
            "\(host(index)?.installation.identifier ?? "?") was killed and does not end: process "
                + names.joined(separator: ", "))
    }

    // MARK: Freezing

    func freeze(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation) else { return }
        process.awaitsFreeze = true
        strays.appIsSuspended()
        do throws(SystemError) {
            try process.box.freeze()
        } catch {
            Diagnostics.write("\(host(index)?.installation.identifier ?? "?") could not be frozen: \(error)")
            return
        }
        awaitFreeze(index, generation, looks: 0)
    }

    /// The kernel announces at most one change of a group in 10 ms, and a freeze is mostly done within a tenth of one:
    /// a few looks, further and further apart, before it is left to the announcement.
    private func awaitFreeze(_ index: AppIndex, _ generation: Generation, looks: Int64) {
        boxChanged(index, generation)
        guard looks < 9, process(index, generation)?.awaitsFreeze == true else { return }
        loop.after(nanoseconds: 30_000 << looks) { [weak self] in
            self?.awaitFreeze(index, generation, looks: looks + 1)
        }
    }

    func thaw(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation) else { return }
        process.awaitsFreeze = false
        process.verification += 1
        runsAgain(index, process)
        mechanisms.release(index, process)
        do throws(SystemError) {
            try process.box.thaw()
        } catch {
            Diagnostics.write("\(host(index)?.installation.identifier ?? "?") could not be thawed: \(error)")
        }
        shareBackground(index, process)
    }

    /// It is about to be thawed, or ended.
    private func runsAgain(_ index: AppIndex, _ process: AppProcess) {
        process.standing = nil
        moved(index)
        if let owed = process.owedPriority { setPriority(index, process.generation, owed) }
    }

    /// What the app sent before it froze is handled first: it may be a reason to run on. So may what it has locked, and
    /// who is connected to it.
    func verify(_ index: AppIndex, _ generation: Generation) {
        process(index, generation)?.stands()
        process(index, generation)?.connection?.drain()
        guard let process = process(index, generation) else { return }
        process.verification += 1
        mechanisms.verify(index, process) { [unowned self] in
            // Of no effect if something of it was a reason to end it, or to let it run.
            post(.verified(index, generation))
        }
    }

    // MARK: Looking

    func check(_ index: AppIndex, _ generation: Generation, pings: Bool) {
        guard let process = process(index, generation) else { return }
        if pings {
            process.pings += 1
            process.connection?.send(.request(id: .string("ping-\(process.pings)"), method: "ping", params: .null))
            mechanisms.asked(index, process)
        }
        if let app = host(index) { trimOutput(app.installation.identifier) }
        strays.appIsChecked()
        mechanisms.check(index, process)
        conditions.appIsLookedAt()
        let count = process.box.processes().count
        if count > Int(system.profile.processLimit) {
            post(.processesCounted(index, generation, Int32(clamping: count)))
        }
    }

    /// What an app prints goes straight into a file, so that no death of ours costs a byte; the oldest part of it is
    /// given back here.
    func trimOutput(_ app: String) {
        let path = home.output(app)
        guard FileSystem.allocated(by: path) > 2 << 20 else { return }
        workers.run(.slow) {
            try? Descriptor.open(path, .readWrite, followsLinks: false).trim(keeping: 1 << 20)
        }
    }

    /// A tracer inside the app's own group does not count: it could be the app's way out of every limit. Nor does this
    /// process, whose child can ask to be traced by it.
    func checkTracer(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation) else { return }
        let pids = process.box.processes()
        let members = Set(pids + [CurrentProcess.pid])
        workers.run(.slow) {
            let procFS = ProcFS()
            return pids.contains { pid in procFS.tracer(pid).map { !members.contains($0) } ?? false }
        } then: { [unowned self] isTraced in
            post(.tracerChecked(index, generation, isTraced: isTraced))
        }
    }
}

extension ExitStatus {
    init(_ status: ProcessStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let signal): self = .signaled(signal)
        }
    }
}
