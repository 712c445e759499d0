internal import AudioModel
internal import Model
internal import ServiceCore

// What the process of the service before this one knew of apps that cannot speak now.
extension AudioSystem {
    /// What somebody is whose streams are seen before it says so itself. An app that is suspended cannot: it is what it
    /// was to the process of the service before this one.
    func kind(of id: PartyID) -> Party.Kind {
        guard let app = id.app else { return .outsider }
        return wasApp(app, process: standings[app]?.process ?? 0) ? .app : .program
    }

    func wasApp(_ app: AppIdentifier, process: Int64) -> Bool {
        guard let record = records[app], process != 0 else { return false }
        return !record.isProgram && record.process == process
    }

    /// One that has been suspended since before this process of the service.
    mutating func recall(_ app: AppIdentifier, _ standing: AppStanding) {
        // Its streams may have been seen first, and taken for a program's.
        let known = parties[.app(app)]?.kind
        guard known != .app, let record = records[app], standing.state != .none else { return }
        let description = AppDescription(app, process: standing.process, name: record.name, hasKey: record.hasKey)
        if known == .program, wasApp(app, process: standing.process) { know(description, as: .app) }
        guard let interruption = record.interruption, interruption.process == standing.process else { return }
        know(description, as: .app)
        with(.app(app)) {
            $0.standing = standing
            $0.session.settings = AudioSettings(.playback)
            $0.session.restore(interruption)
        }
    }
}
