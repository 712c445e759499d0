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

    /// As many have room in a line, with the longest names and the largest numbers.
    private static let mostInMemory = 2_500

    /// What `memory` shows of the apps behind one, or of the first ones, as JSON. Whoever goes on with what he has
    /// heard needs no other look.
    func tellMemory(after last: AppIndex?, _ answer: @escaping ([UInt8]) -> Void) {
        toolReads.add { [weak self] done in
            guard let self else { return false }
            guard last == nil, let memory else {
                writeMemory(after: last, answer, done)
                return true
            }
            memory.learn { [weak self] in self?.writeMemory(after: nil, answer, done) }
            return true
        }
    }

    private func writeMemory(
        after last: AppIndex?, _ answer: @escaping ([UInt8]) -> Void, _ done: @escaping (Int64) -> Void
    ) {
        let began = Clock.threadTime()
        let info = memoryInfo(after: last)
        let looked = Clock.threadTime() - began
        workers.run(.slow) {
            let began = Clock.threadTime()
            let json = info.json.encoded
            return (json, Clock.threadTime() - began)
        } then: { json, wrote in
            done(looked + wrote)
            answer(json)
        }
    }

    private func memoryInfo(after last: AppIndex?) -> MemoryInfo {
        let state = system.memory
        let places = Dictionary(zip(system.memoryVictims(), 1...)) { first, _ in first }
        let behind = system.allApps[(last.map { Int($0.rawValue) + 1 } ?? 0)...].lazy
        let running = Array(behind.filter { $0.isInstalled && $0.state != .notRunning }.prefix(Self.mostInMemory))
        let apps = running.map { app in
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
