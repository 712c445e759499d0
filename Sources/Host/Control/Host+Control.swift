internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

extension Host {
    /// A tool connected. One that runs inside an app is an app, whatever it says it is, and one that is gone may have
    /// been one.
    func acceptControl(_ socket: Descriptor) {
        // If it cannot be watched, the tool finds its connection closed.
        guard let connection = try? Connection(socket, loop, .inTurns(toolTurns)) else { return }
        guard let peer = PeerProcess(of: socket), mayBeTool(peer) else {
            connection.send(
                .failure(id: nil, RPCError(.notYours, "the control socket is for the user's tools, not for apps")))
            connection.close()
            return
        }
        guard makeRoomForTool() else {
            connection.send(
                .failure(id: nil, RPCError(.tooMuch, "\(Self.mostTools) tools wait for answers: end some of them")))
            connection.close()
            return
        }
        sessions[ObjectIdentifier(connection)] = (connection, ControlSession(connection, self))
    }

    /// Connections of tools at a time. Beyond that, the one that has been silent for longest makes room.
    private static let mostTools = min(512, CurrentProcess.descriptorLimit / 4)

    private func makeRoomForTool() -> Bool {
        guard sessions.count >= Self.mostTools else { return true }
        let idle = sessions.values.filter { $0.1.isIdle }.min { $0.1.lastMessage < $1.1.lastMessage }
        idle?.0.close()
        return idle != nil
    }

    func nextToolMessage() -> UInt64 {
        toolMessages += 1
        return toolMessages
    }

    /// Returns whether the process is the user's or root's and outside of this system's apps. Without cgroups a process
    /// belongs to an app if it descends from one.
    func mayBeTool(_ peer: PeerProcess) -> Bool {
        guard peer.uid == CurrentProcess.uid || peer.uid == 0 else { return false }
        guard environment.cgroup == nil else { return peer.cgroup.map { !isInsideApp(group: $0) } ?? false }
        return ProcFS().descent(of: peer.process.pid, among: Set(firstProcesses.keys)) == .elsewhere
    }

    /// The apps that have processes, by their first ones. The number of one that ended stays that of its session.
    var firstProcesses: [CInt: AppIndex] {
        apps.reduce(into: [:]) { found, app in
            if let first = app.process?.first { found[first.pid] = app.index }
        }
    }

    /// Whether a group is one of this system's.
    func isInsideApp(group: String) -> Bool {
        environment.cgroup?.split(separator: "/").last.map { group.split(separator: "/").contains($0) } ?? false
    }

    var status: StatusInfo {
        StatusInfo(
            version: greenroomVersion, protocolVersion: protocolVersion, pid: Int(CurrentProcess.pid),
            profile: system.profile.name, locked: system.isLocked, asleep: system.isAsleep,
            front: system.frontApp.flatMap { system.app($0)?.manifest.identifier.rawValue },
            switcher: system.isSwitcherOpen, interruptions: system.interruptions.map(\.name), marked: marked,
            adopting: adoption?.left, protectedData: system.conditions.protectedData.name,
            keepsScreenOn: system.screenHolder.flatMap { system.app($0)?.manifest.identifier.rawValue })
    }

    private var marked: [StatusInfo.Marked] {
        let known = services.marks
        guard !known.isEmpty else { return [] }
        return system.allApps.compactMap { app in
            let marks = app.isInstalled ? app.marks(known) : []
            return marks.isEmpty ? nil : StatusInfo.Marked(app: app.manifest.identifier.rawValue, marks: marks)
        }
    }

    /// False where a tool names an app that is not installed.
    func hasApp(_ params: JSONValue) throws(RPCError) -> Bool {
        guard let identifier = AppIdentifier(try params.string("app")) else { return true }
        return system.index(of: identifier) != nil
    }

    /// Installs what is there, behind what was to be uninstalled when this command came.
    func install(
        _ path: String, _ number: UInt64,
        then done: @escaping (Result<(app: Installation, warnings: [String]), Installer.Failure>) -> Void
    ) {
        let (installer, removals) = (installer, installOrder.removals)
        workers.run(.installs) { () -> Result<Installer.Outcome, Installer.Failure> in
            do throws(Installer.Failure) {
                return .success(try installer.install(path) { removals.awaits($0, before: number) })
            } catch {
                return .failure(error)
            }
        } then: { [unowned self] outcome in
            switch outcome {
            case .failure(let failure): done(.failure(failure))
            case .success(.awaitsRemoval(let app)):
                installOrder.wait(for: app, before: number) { [unowned self] in install(path, number, then: done) }
            case .success(.installed(let installation, let warnings, let trash)):
                let claims = schemes.schemes(claimedBy: installation.identifier) + installation.urlSchemes
                install(installation)
                redeclare(claimants: claimants(of: claims))
                if let trash { workers.run(.trees) { try? installer.empty(trash, of: installation.name) } }
                done(.success((installation, warnings)))
            }
        }
    }

    func install(_ installation: Installation) {
        schemes.learn(installation.identifier, claims: installation.urlSchemes)
        guard let manifest = manifest(of: installation) else { return }
        post(.installed(manifest))
        guard let index = system.index(of: manifest.identifier) else { return }
        if let app = host(index) {
            app.installation = installation
        } else {
            apps.append(AppHost(index: index, installation: installation))
        }
        records.name(index, installation.identifier)
    }

    /// Removes what an app that the Core has forgotten left on the disk. `done` is called when it is gone from there,
    /// since the room is what uninstalling is for. Meanwhile the same app can be installed anew, from when this removal
    /// is in the way of nothing any more.
    func remove(
        _ installation: Installation, keepsData: Bool, _ number: UInt64,
        then done: @escaping (Installer.Failure?) -> Void
    ) {
        forgetSchemes(of: installation.identifier)
        let installer = installer
        workers.run(.installs) { () -> Result<String?, Installer.Failure> in
            do throws(Installer.Failure) {
                return .success(try installer.uninstall(installation, keepsData: keepsData))
            } catch {
                return .failure(error)
            }
        } then: { [unowned self] outcome in
            forget(installation.identifier)
            installOrder.endRemoval(of: installation.identifier, number)
            switch outcome {
            case .failure(let failure): done(failure)
            case .success(nil): done(nil)
            case .success(let trash?):
                workers.run(.trees) { () -> Installer.Failure? in
                    do throws(Installer.Failure) {
                        try installer.empty(trash, of: installation.name)
                        return nil
                    } catch {
                        return error
                    }
                } then: {
                    done($0)
                }
            }
        }
    }

    /// It was installed again by a command that came before its files went.
    private func forget(_ name: String) {
        guard let identifier = AppIdentifier(name), let index = system.index(of: identifier) else { return }
        _ = command(.uninstall(index)) { _ in }
        forgetSchemes(of: name)
    }

    /// Goes on with what an earlier daemon was about to remove.
    func resumeRemovals() {
        let installer = installer
        workers.run(.installs) {
            installer.resume()
        } then: { [unowned self] leftovers in
            for entry in leftovers {
                workers.run(.trees) {
                    do throws(Installer.Failure) {
                        try installer.empty(entry, of: entry)
                    } catch {
                        Diagnostics.write(error.sentence)
                    }
                }
            }
        }
    }

    /// The socket at which an app's terminal is.
    func terminal(of installation: Installation, _ index: AppIndex) throws(RPCError) -> String {
        let (name, identifier) = (installation.name, installation.identifier)
        guard installation.terminal else {
            throw RPCError(.refused, "\(name) has no terminal: greenroom output \(identifier) shows what it prints")
        }
        guard system.app(index)?.state != .notRunning else {
            throw RPCError(.refused, "\(name) is not running: greenroom open \(identifier)")
        }
        return home.terminal(identifier)
    }

    /// What `apps` shows of the apps behind one, or of the first ones, as JSON: as many as an answer has room for.
    func listApps(after last: AppIndex?, _ answer: @escaping ([UInt8]) -> Void) {
        toolReads.add { [unowned self] done in
            guard let memory else {
                listApps(after: last, answer, done)
                return true
            }
            memory.learn { [unowned self] in listApps(after: last, answer, done) }
            return true
        }
    }

    private func listApps(
        after last: AppIndex?, _ answer: @escaping ([UInt8]) -> Void, _ done: @escaping (Int64) -> Void
    ) {
        let views = appViews(after: last)
        workers.run(.lists) {
            let began = Clock.threadTime()
            let list = AppView.list(views)
            return (list, Clock.threadTime() - began)
        } then: { list, cost in
            done(cost)
            answer(list)
        }
    }

    /// As far as the loop knows it; the rest is found on a worker.
    private func appViews(after last: AppIndex?) -> [AppView] {
        let offset = system.wall(.zero).nanoseconds
        var views: [AppView] = []
        for app in system.allApps[(last.map { Int($0.rawValue) + 1 } ?? 0)...] where app.isInstalled {
            guard views.count < AppView.mostInList else { break }
            views.append(
                AppView(
                    app: app, memory: shownMemory(app), isVisible: system.isVisible(app.index),
                    isFront: system.frontApp == app.index, process: host(app.index)?.process, wallOffset: offset,
                    marks: services.marks))
        }
        return views
    }
}

extension Wire.ReportSummary {
    init(_ stored: StoredSummary) {
        self.init(
            id: stored.id, app: stored.app, at: WallTime(microseconds: stored.at).iso8601,
            namespace: stored.namespace, code: Int(stored.code), reason: stored.reason)
    }
}

extension JSONValue {
    var waits: Bool {
        get throws(RPCError) { try bool("wait", default: true) }
    }

    /// A tool says so when it asks again, because the connection ended before the answer.
    var isRepetition: Bool {
        get throws(RPCError) { try bool("retry", default: false) }
    }
}
