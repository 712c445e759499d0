internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// Who had what when an app ended for memory: the part of the report that Apple's jetsam events have. Sizes in pages.
extension Host {
    func jetsamEvent(_ facts: ReportFacts) -> JSONObject? {
        guard let end = facts.memory else { return nil }
        let page = ProcessMemory.pageSize
        let victim = system.app(facts.app)
        var processes: [(bytes: Int64, name: String, json: JSONValue)] = []
        for app in system.installedApps where app.index != facts.app && app.process != .none {
            let members = process(
                app, pid: app.pid, app.memory.footprint, state: app.state, launchedAt: app.launchedAt, facts.at)
            processes.append((app.memory.footprint.dirty, app.manifest.name, JSONValue.object(members)))
        }
        if let victim {
            var members = process(
                victim, pid: facts.pid, end.footprint, state: facts.state, launchedAt: facts.launchedAt, facts.at)
            members["reason"] = .string(end.jetsamReason)
            processes.append((end.footprint.dirty, victim.manifest.name, JSONValue.object(members)))
        }
        processes.sort { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
        return [
            "product": .string(system.profile.name), "build": .string("Greenroom \(greenroomVersion)"),
            "date": .string(facts.at.iso8601), "reason": .string(end.jetsamReason),
            "memoryStatus": [
                "pageSize": .int(page),
                "memoryPages": ["budget": .int(end.budget / page), "available": .int(end.available / page)],
            ],
            "largestProcess": .string(processes.first?.name ?? ""),
            "processes": .array(processes.map { $0.json }),
        ]
    }

    private func process(
        _ app: App, pid: Int32?, _ footprint: Footprint, state: LifecycleState, launchedAt: WallTime?, _ now: WallTime
    ) -> JSONObject {
        let page = ProcessMemory.pageSize
        var states: [JSONValue] = [.string(state.name)]
        if system.isVisible(app.index) { states.append("visible") }
        return [
            "name": .string(app.manifest.name), "bundleID": .string(app.manifest.identifier.rawValue),
            "pid": JSONValue(pid.map { Int($0) }), "states": .array(states),
            "rpages": .int(footprint.total / page), "dirty": .int(footprint.dirty / page),
            "purgeable": .int(footprint.purgeable / page),
            "lifetimeMax": .int(max(footprint.dirty, memory?.peak(of: app.index) ?? 0) / page),
            "age": launchedAt.map { .int(max(0, now.nanoseconds - $0.nanoseconds)) } ?? .null,
        ]
    }
}
