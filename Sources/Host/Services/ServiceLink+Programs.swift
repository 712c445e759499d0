internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// Plain programs never connect to a service. One that can do something for them is told of those that have its key.
extension ServiceLink {
    func programLaunched(_ app: AppIndex) {
        guard let known = host.system.app(app), isProgram(known), let installed = host.host(app) else { return }
        let incarnation = Incarnation(app, known.generation)
        withService { [weak self, weak installed] outcome in
            guard let self, let installed, case .success = outcome else { return }
            // It may have ended while the service began; then the greeting has told of all that live.
            guard host.system.app(app)?.generation == incarnation.generation else { return }
            tell(installed, incarnation)
        }
    }

    /// Those that run, to a service that is new.
    func tellPrograms() {
        for installed in host.apps {
            guard let app = host.system.app(installed.index), app.pid != nil, isProgram(app) else { continue }
            tell(installed, Incarnation(installed.index, app.generation))
        }
    }

    private func isProgram(_ app: App) -> Bool {
        let mode = service.declaration.mode
        return app.isPlain && (mode.isEmpty || !app.manifest.backgroundModes.isDisjoint(with: mode))
    }

    private func tell(_ app: AppHost, _ incarnation: Incarnation) {
        // Before the service can speak of it.
        host.post(.service(.attached(index, incarnation)))
        let installation = app.installation
        tell(
            .program,
            [
                "app": .string(installation.identifier), "process": .int(Int64(incarnation.generation.rawValue)),
                "name": .string(installation.name), "modes": .array(installation.backgroundModes.map(JSONValue.string)),
            ])
        tellState(incarnation.app)
    }
}

extension Host {
    func app(ofProcess pid: CInt) -> App? {
        let owner: AppHost?
        if environment.cgroup != nil {
            let group = ProcFS().cgroup(pid) ?? ""
            let name = group.split(separator: "/").lazy.filter { $0.hasPrefix("app-") }.map { String($0.dropFirst(4)) }
                .first
            owner = isInsideApp(group: group) ? apps.first { $0.installation.identifier == name } : nil
        } else {
            let firsts = firstProcesses
            guard case .from(let first) = ProcFS().descent(of: pid, among: Set(firsts.keys)) else { return nil }
            owner = firsts[first].flatMap(host)
        }
        return owner.flatMap { system.app($0.index) }
    }
}
