internal import Model
internal import PolicyCore

// The host's part in relieving the disk, with the disk itself.
extension Device {
    /// A disk takes about a gigabyte a second: more comes later.
    func write(_ bytes: Int64, isCache: Bool, _ place: Int) {
        guard disk != nil else { return }
        let slice: Int64 = 16 << 20
        disk?.write(min(bytes, slice), by: place, isCache: isCache, at: now)
        senseDisk()
        guard bytes > slice else { return }
        at(now + .milliseconds(16), place, .timer(.action(.write(bytes: bytes - slice, isCache: isCache))))
    }

    /// - Returns: whether there is room for what a transfer of the app received.
    func receive(_ bytes: Int64, for place: Int) -> Bool {
        guard bytes > 0, let hasRoom = disk?.receive(bytes, for: place) else { return true }
        senseDisk()
        return hasRoom
    }

    /// Tells the level when it changes, and every second while room is short and somebody runs who could write.
    func senseDisk(isAsked: Bool = false) {
        guard let disk, daemon == .running else { return }
        let level = DiskSpace.level(free: disk.free, of: disk.total)
        if level >= .short, !disk.isLookDue, apps.contains(where: { $0.process?.freezer == .running }) {
            self.disk?.isLookDue = true
            queue.insert(.diskLook, at: now + .seconds(1))
        }
        guard isAsked || level != disk.told else { return }
        self.disk?.told = level
        send(.room(.sensed(free: disk.free, total: disk.total)))
    }

    func lookAtDisk() {
        disk?.isLookDue = false
        senseDisk(isAsked: true)
    }

    /// The files of an app are removed with it.
    func noteForDisk(_ entry: LogEntry) {
        guard disk != nil, case .uninstalled(let name) = entry.reason,
            let place = apps.firstIndex(where: { $0.script.manifest.name == name })
        else { return }
        disk?.forget(place)
        queue.insert(.diskLook, at: now + random.draw(costs.news))
    }

    /// A new daemon tells the Core anew.
    func forgetDisk() {
        disk?.told = .roomy
        senseDisk()
    }

    func performOnDisk(_ action: Action) {
        switch action {
        case .measureDisk: measureDisk()
        case .emptyCaches(let app): emptyCaches(of: app)
        default: return
        }
    }

    /// For which an app ends that is not ending yet.
    func checkChoice(_ place: Int) {
        guard let process = apps[place].process, !process.isDying, let app = apps[place].index else { return }
        switch system.app(app)?.ending?.reason {
        case .memory(let end): if !end.isOwnLimit { checkMemoryChoice(place) }
        case .filledDisk: checkDiskChoice(place)
        default: return
        }
    }

    private func measureDisk() { queue.insert(.diskMeasured, at: now + random.draw(costs.sample)) }

    func diskMeasured() {
        guard let disk else { return }
        let found = apps.indices.compactMap { place -> DiskMeasure? in
            guard let process = apps[place].process, let app = apps[place].index, !process.isGone, !process.isStarting
            else { return nil }
            let incarnation = Incarnation(app, process.generation)
            return DiskMeasure(
                incarnation, bytes: disk.bytes(of: place), changed: disk.changed(by: place, at: now))
        }
        senseDisk(isAsked: true)
        send(.room(.measured(found)))
    }

    private func emptyCaches(of app: AppIndex) {
        guard let place = place(of: app) else { return violate("the caches of an app that is not there are emptied") }
        let isRunning = apps[place].process.map { !$0.isGone && !$0.isStarting } ?? false
        if isRunning { violate("\(apps[place].script.name) runs, and its caches are emptied") }
        let freed = disk?.emptyCaches(of: place) ?? 0
        queue.insert(.cachesEmptied(app, freed: freed), at: now + random.draw(costs.reclaim))
    }

    func cachesEmptied(_ app: AppIndex, freed: Int64) {
        send(.room(.emptied(app, freed: freed)))
        senseDisk(isAsked: true)
    }

    /// R15: no app ends for the disk while an app that does not run has caches.
    func checkDiskChoice(_ place: Int) {
        guard checksInvariants, let disk else { return }
        let name = apps[place].script.name
        for other in apps.indices where apps[other].process == nil && disk.caches(of: other) > 0 {
            guard let app = apps[other].index, let known = system.app(app), known.isInstalled, known.process == .none
            else { continue }
            violate("\(name) ends for the disk, and \(apps[other].script.name) does not run and has caches")
        }
        // The app was measured a moment before it ends.
        let isWriter = disk.changed(by: place, within: SimulatedDisk.recently + .seconds(5), at: now) > 0
        if !isWriter { violate("\(name) ends for the disk, and wrote nothing") }
    }
}
