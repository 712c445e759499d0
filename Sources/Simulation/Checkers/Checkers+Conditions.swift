internal import Model
internal import PolicyCore

// Changes of the device: who runs knows of them, and nobody is told what it knows.
extension Checkers {
    /// What takes longer is forgotten, not on its way: news, and a network that may come back.
    private static let patience = Span.seconds(1)

    /// What the log says of the device's lock.
    struct LockWatch {
        var isLocked = false
        var since = Instant.zero
    }

    /// What the user set counts once the system has taken it; and since when the device is locked, or no longer.
    mutating func noteSetting(_ event: Event, _ effects: [Effect], _ device: Device) {
        for effect in effects {
            guard case .log(let entry) = effect.action else { continue }
            noteLock(entry.event, device)
            switch (entry.reason, event) {
            case (.settingChanged, .command(_, .changeSetting(let app, let key, let value))):
                guard let place = device.place(of: app) else { continue }
                device.set(key, to: value, place)
            case (.uninstalled, .command(_, .uninstall(let app))):
                if let place = device.place(of: app) { device.conditions.settings[place] = nil }
            default: continue
            }
        }
    }

    private mutating func noteLock(_ event: LogEvent, _ device: Device) {
        let isLocked: Bool
        switch event {
        case .locked, .slept: isLocked = true
        case .unlocked, .booted: isLocked = false
        default: return
        }
        if isLocked != lock.isLocked { lock = LockWatch(isLocked: isLocked, since: device.now) }
    }

    /// That protected files can be read, or no longer, has been so for a while, and the app was told otherwise.
    private func isWrong(_ told: ProtectedData, _ device: Device) -> Bool {
        guard let grace = profile.protectsDataAfter else { return told != .available }
        let time = device.now - lock.since
        guard time > Self.patience else { return false }
        guard lock.isLocked else { return told != .available }
        return time > grace + Self.patience ? told != .unavailable : told == .available
    }

    mutating func told(
        _ app: AppIndex, _ generation: Generation, _ conditions: DeviceConditions, _ device: Device
    ) {
        guard let place = device.place(of: app), place < watches.count, watches[place].generation == generation else {
            return
        }
        if !watches[place].mayHaveMissed, let known = watches[place].told, isSame(known, conditions) {
            device.violate("\(device.apps[place].script.name) is told what it knows")
        }
        watches[place].told = conditions
        watches[place].mayHaveMissed = false
    }

    private func isSame(_ one: DeviceConditions, _ other: DeviceConditions) -> Bool {
        var one = one
        // A clock that is corrected is nothing to tell.
        if one.time.day == other.time.day, one.time.utcOffset == other.time.utcOffset,
            abs(one.time.clock - other.time.clock) <= 60
        {
            one.time = other.time
        }
        return one == other
    }

    /// It is about to come to the screen: by now it has to know everything.
    func checkTold(_ app: AppIndex, _ device: Device) {
        // Who is being ended is told nothing more, and goes on only because a debugger holds it.
        guard let place = device.place(of: app), device.known(place)?.ending == nil,
            let missing = missing(place, device)
        else { return }
        device.violate("\(device.apps[place].script.name) enters the foreground and does not know of \(missing)")
    }

    /// An app that runs, and nothing keeps from hearing.
    func checkKnowledge(_ place: Int, _ device: Device) {
        // First what nearly always settles it: it knows everything.
        guard let missing = missing(place, device), let known = device.known(place), known.process == .alive,
            known.isConnected, !known.isPlain, known.ending == nil, known.outstanding.isEmpty,
            watches[place].killed == nil
        else { return }
        switch known.state {
        case .active, .inactive: break
        case .background: if known.heldAssertions.isEmpty { return }
        case .notRunning, .suspended: return
        }
        device.violate("\(device.apps[place].script.name) runs and does not know of \(missing)")
    }

    /// What low-power mode has to be; `nil` where that hangs on what the battery was before.
    private func isLowPower(_ device: Device) -> Bool? {
        var battery = BatteryReading.none
        for condition in device.conditions.told {
            if case .lowPower(true) = condition { return true }
            if case .battery(let reading) = condition { battery = reading }
        }
        guard let rules = device.profile.power, battery.state == .unplugged else { return false }
        if battery.percent <= rules.savesAt { return true }
        return battery.percent > rules.savesAt + rules.margin ? false : nil
    }

    /// Something that has been so for a while, and that the app was told otherwise; the day, reckoned once more.
    private func missing(_ place: Int, _ device: Device) -> SystemChange? {
        guard place < watches.count, let told = watches[place].told, device.conditions.isTold,
            device.now - device.conditions.toldAt > Self.patience
        else { return nil }
        if told.settings != device.conditions.settings[place] ?? [] { return .settings }
        var offset: Int32 = 0
        for condition in device.conditions.told {
            switch condition {
            case .locale(let locale): if told.locale != locale { return .locale }
            case .timeZone(let zone):
                if told.timeZone != zone.identifier { return .timeZone }
                offset = zone.offset
            case .screen(let screen): if told.screen != screen { return .screen }
            case .battery(let battery): if told.battery != battery { return .battery }
            case .network(let network): if told.network != network { return .network }
            case .lowPower: continue
            case .thermalState(let state): if told.thermalState != state { return .thermalState }
            case .orientation(let orientation): if told.orientation != orientation { return .orientation }
            case .store(let store): if !told.stores.contains(store) { return .sharedStores }
            // The simulated device's own clock is set instead.
            case .clock, .screenshot: continue
            }
        }
        if isWrong(told.protectedData, device) { return .protectedData }
        if let isLowPower = isLowPower(device), told.isLowPower != isLowPower { return .lowPower }
        // Nothing refreshes meanwhile, and an app hears that.
        if told.isLowPower, told.refreshes { return .backgroundRefresh }
        let second = (device.now.nanoseconds &+ device.wallOffset) / 1_000_000_000 + Int64(offset)
        let sinceMidnight = second % 86_400
        guard (2..<86_398).contains(sinceMidnight) else { return nil }
        return told.time.day == second / 86_400 ? nil : .significantTime
    }
}
