internal import Model
internal import PolicyCore

// The device's memory: what apps have of it, and the host's part of relieving it.
extension Device {
    /// Tells the Core what there is, as a starting daemon does.
    func tellBudget() {
        guard let budget = memoryBudget else { return }
        send(.memoryConfigured(budget: budget))
    }

    /// What surrounds the apps of a device with so much memory: it tells when a mark of the rules is crossed.
    static func surroundings(memory: Int64?, _ profile: DeviceProfile) -> World {
        guard let memory else { return World() }
        let rules = profile.memory ?? MemoryRules()
        let marks = [rules.reclaim, rules.warn, rules.terminate].flatMap { [$0.below, $0.until] } + [rules.lastResort]
        var setup = WorldSetup()
        setup.memory = memory
        setup.memoryMarks = Array(Set(marks)).sorted().map { memory / 1000 * $0 }
        return World(setup)
    }

    /// A crossing is told a moment later, as the kernel's news are.
    func noteMemory() {
        guard memoryBudget != nil, surroundings.memoryLevel != toldMemoryLevel else { return }
        toldMemoryLevel = surroundings.memoryLevel
        queue.insert(.memoryChanged, at: now + random.draw(costs.news))
    }

    func senseMemory() {
        catchUp()
        let available = surroundings.availableMemory
        // A host that has no time to ask ends whoever is next, and tells; one that asks has to do as well.
        let ended = random.oneIn(2) ? endAtOnce(available) : []
        send(ended.isEmpty ? .memorySensed(available: available) : .endedForMemory(ended, available: available))
    }

    private func endAtOnce(_ available: Int64) -> [Incarnation] {
        let need = system.memoryNeed(available: available)
        guard need > 0 else { return [] }
        let candidates = system.memoryVictims().compactMap { app -> (place: Int, one: Incarnation)? in
            guard let place = place(of: app), let process = apps[place].process, !process.isGone else { return nil }
            return (place, Incarnation(app, process.generation))
        }
        var isChosen = candidates.map { _ in false }
        candidates.map { system.standingOrder($0.one) }.choose(toFree: need, into: &isChosen)
        let chosen = zip(candidates, isChosen).filter(\.1).map(\.0)
        for (place, _) in chosen {
            checkMemoryChoice(place)
            apps[place].process?.isDying = true
            after(costs.kill, place) { _ in .die }
        }
        return chosen.map(\.one)
    }

    func sample(_ place: Int) {
        guard let process = apps[place].process, let app = apps[place].index, !process.isGone else { return }
        send(.footprintSampled(app, process.generation, footprint(place)))
    }

    func footprint(_ place: Int) -> Footprint { surroundings.footprint(of: AppIndex(UInt32(place))) ?? .zero }

    func setFootprint(_ footprint: Footprint, _ place: Int) {
        changeWorld { $0.setFootprint(footprint, of: AppIndex(UInt32(place))) }
    }

    /// Takes what the app can make or read anew; of one that runs, what is clean is back at once.
    func reclaim(_ place: Int) {
        guard let process = apps[place].process, let app = apps[place].index, !process.isGone else { return }
        var footprint = footprint(place)
        footprint.purgeable = 0
        if process.isFrozen { footprint.clean = 0 }
        setFootprint(footprint, place)
        send(.reclaimed(app, process.generation, footprint))
    }

    /// What an app that runs again reads anew.
    func refill(_ place: Int) {
        guard memoryBudget != nil else { return }
        var footprint = footprint(place)
        let given = apps[place].script.footprint
        guard footprint.clean < given.cleanBytes else { return }
        footprint.clean = given.cleanBytes
        setFootprint(footprint, place)
    }

    /// A well-behaved delegate frees what it can make anew.
    func release(_ place: Int) {
        let bytes = apps[place].script.footprint.releasableBytes
        guard bytes > 0 else { return }
        var footprint = footprint(place)
        // Not what it was not said to have: a later warning finds nothing more.
        let floor = max(0, apps[place].script.footprint.dirtyBytes - bytes)
        footprint.dirty = max(min(footprint.dirty, floor), footprint.dirty - bytes)
        setFootprint(footprint, place)
    }

    /// A process touches about a megabyte in a millisecond: more of it comes later.
    func allocate(_ bytes: Int64, _ place: Int) {
        let slice: Int64 = 4 << 20
        var footprint = footprint(place)
        footprint.dirty = max(0, footprint.dirty + min(bytes, slice))
        setFootprint(footprint, place)
        guard bytes > slice else { return }
        at(now + .milliseconds(4), place, .timer(.action(.allocate(bytes: bytes - slice))))
    }

    /// Background apps should end, and there are some.
    var isShortOfMemory: Bool {
        guard let budget = memoryBudget, daemon == .running else { return false }
        let mark = budget / 1000 * (profile.memory ?? MemoryRules()).terminate.below
        guard surroundings.availableMemory < mark else { return false }
        return apps.indices.contains { place in
            guard let process = apps[place].process, let app = apps[place].index, let known = system.app(app) else {
                return false
            }
            return known.process == .alive && known.ending == nil && !process.isGone && !process.isDying
                && !system.isVisible(app) && footprint(place).dirty > 1 << 20
        }
    }

    /// Whoever is chosen for want of memory is not on screen while something else could go or is going.
    func checkMemoryChoice(_ place: Int) {
        guard checksInvariants, let app = apps[place].index, system.isVisible(app) else { return }
        for other in apps.indices where other != place {
            guard let process = apps[other].process, let index = apps[other].index, !process.isGone,
                !process.isStarting, footprint(other).total > 0, let known = system.app(index),
                !system.isVisible(index), known.memory.footprint.total > 0
            else { continue }
            let (name, otherName) = (apps[place].script.name, apps[other].script.name)
            if known.ending == nil, !process.isDying {
                violate("\(name) is on screen and ended for memory, and \(otherName) not")
            } else if known.ending?.phase == .killing {
                violate("\(name) is on screen and ended for memory while that of \(otherName) is on its way back")
            }
        }
    }
}
