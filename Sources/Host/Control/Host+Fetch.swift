internal import Model
internal import PolicyCore
internal import Wire

// What apps are woken for, and what they wait for: docs/PROTOCOL.md, 3.6.
extension Host {
    static func refreshKey(_ app: String) -> String { "refresh." + app }

    private func wall(_ moment: WallTime?) -> String? { moment?.iso8601 }

    /// All apps that can be fetched, or have asked for a task.
    var fetches: JSONValue {
        let apps = system.installedApps.filter { app in
            app.manifest.backgroundModes.contains(.fetch) || !system.pendingTasks(app.index).isEmpty
        }
        return FetchInfo.json(of: apps.map(fetchInfo))
    }

    private func fetchInfo(_ app: App) -> FetchInfo {
        let now = system.wall(self.now)
        let outlook = system.fetchOutlook(app.index)
        var info = FetchInfo(
            app: app.manifest.identifier.rawValue, name: app.manifest.name,
            interval: app.wake.fetchInterval?.seconds, isAllowed: !app.wake.isRefreshOff)
        info.wanted = wall(outlook.plan?.wanted)
        info.reason = outlook.plan?.reason.sentence
        info.missing = outlook.obstacle?.sentence
        info.next = wall(outlook.next)
        info.changesWith = outlook.obstacle?.changesWith
        info.expected = system.fetch.planner.expectedOpenings(app.index, at: now).map {
            FetchInfo.Opening(from: $0.from.iso8601, to: $0.to.iso8601, chance: Double($0.chance) / 1000)
        }
        info.decisions = system.fetch.planner.decisions(app.index).map(FetchInfo.Decision.init)
        info.tasks = system.taskOutlooks(app.index).map { request, outlook in
            FetchInfo.Task(
                identifier: request.identifier, kind: request.kind.name, earliest: wall(request.earliest),
                missing: outlook.obstacle?.sentence, next: wall(outlook.next),
                changesWith: outlook.obstacle?.changesWith)
        }
        return info
    }

    /// What the app would be woken for, and is not yet.
    func wishes(of index: AppIndex) -> [WhyAnswer.Wish] {
        guard let app = system.app(index) else { return [] }
        var wishes = system.failedFreezes(index).map { [WhyAnswer.Wish(failedFreezes: $0, system.profile)] } ?? []
        guard app.manifest.kind != .plain else { return wishes }
        func add(_ kind: WindowKind, _ outlook: FetchOutlook) {
            wishes.append(
                WhyAnswer.Wish(
                    what: kind.phrase, missing: outlook.obstacle?.sentence, next: wall(outlook.next),
                    changesWith: outlook.obstacle?.changesWith))
        }
        if app.manifest.backgroundModes.contains(.fetch) { add(.fetch, system.fetchOutlook(index)) }
        for (request, outlook) in system.taskOutlooks(index) { add(request.window, outlook) }
        return wishes
    }
}

extension WhyAnswer.Wish {
    fileprivate init(failedFreezes count: UInt8, _ profile: DeviceProfile) {
        let attempts = count == 1 ? "one attempt" : "\(count) attempts"
        self.init(
            what: "its suspension",
            missing: "\(attempts) to freeze it failed, since one of its processes did not stop within "
                + "\(profile.freezeLimit.twoDigits) seconds",
            next: nil, changesWith: "again after pauses of a minute at most")
    }
}

extension FetchInfo.Decision {
    fileprivate init(_ decision: FetchDecision) {
        var openedAfter: Double?
        if case .hit(let span) = decision.verdict { openedAfter = span.seconds }
        self.init(
            began: decision.began.iso8601, ended: decision.ended?.iso8601, result: decision.result?.name,
            expected: Double(decision.expected) / 1000, verdict: decision.verdict.name, openedAfter: openedAfter,
            joules: decision.cost?.joules, sent: decision.moved?.sent, received: decision.moved?.received)
    }
}
