internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

extension Host {
    func beginMemory(budget: Int64?) {
        memory = MemorySensor(self, budget: budget)
        if memory == nil { Diagnostics.write("/proc/meminfo cannot be read: no policy for memory") }
    }

    /// What tools see of an app's memory, wherever they see it.
    func shownMemory(_ app: App) -> Footprint? { app.state == .notRunning ? nil : app.memory.known }

    /// What `memory` shows.
    func tellMemory(_ answer: @escaping (JSONValue) -> Void) {
        guard let memory else { return answer(memoryInfo.json) }
        memory.learn { [unowned self] in answer(memoryInfo.json) }
    }

    private var memoryInfo: MemoryInfo {
        let state = system.memory
        let places = Dictionary(zip(system.memoryVictims(), 1...)) { first, _ in first }
        let apps = system.installedApps.filter { $0.state != .notRunning }.map { app in
            let footprint = shownMemory(app) ?? .zero
            return MemoryInfo.App(
                app: app.manifest.identifier.rawValue, state: app.state.name, dirty: footprint.dirty,
                purgeable: footprint.purgeable, clean: footprint.clean, limit: system.memoryLimit(of: app.index),
                next: places[app.index],
                tinyMappings: (memory?.mappings(of: app.index)?.tiny).map { Int($0) })
        }
        return MemoryInfo(
            budget: state.budget, available: memory?.lately ?? state.available, level: state.level.name,
            simulated: state.simulated?.name, apps: apps,
            killPath: memory?.killPath)
    }
}
