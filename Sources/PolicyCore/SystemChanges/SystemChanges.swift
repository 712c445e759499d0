internal import Model

// Changes of the device are collected while an app is suspended and told when it runs again, each kind once and only if
// it is another than the app knows (R12). They come before whatever the app is called for. Nothing wakes an app for
// them.
extension System {
    // MARK: What changes

    mutating func conditionSensed(_ condition: Condition) {
        if case .store(let store) = condition { return storeSensed(store) }
        if case .screenshot = condition { return screenshotTaken() }
        change(condition.kind) { $0.real.take(condition) }
    }

    mutating func simulate(_ condition: Condition) {
        if case .store(let store) = condition { return storePretended(store) }
        if case .screenshot = condition { return screenshotTaken() }
        if case .clock(let seconds) = condition { return pretend(clockAhead: seconds) }
        change(condition.kind) { $0.simulated.take(condition) }
    }

    mutating func endSimulation(of kind: SystemChange) {
        if kind == .significantTime { return pretend(clockAhead: nil) }
        change(kind) { $0.simulated.forget(kind) }
    }

    private mutating func pretend(clockAhead seconds: Int64?) {
        let bounded = seconds.map { min(max($0, -ClockReading.maxPretended), ClockReading.maxPretended) }
        change(.significantTime) { $0.pretendedClock = bounded }
    }

    private mutating func change(_ kind: SystemChange, _ body: (inout ConditionState) -> Void) {
        let before = conditions.value(kind)
        body(&conditions)
        guard let value = conditions.value(kind), value != before else { return }
        fetch.mustLook = true
        if case .network(let network) = value, case .network(let old)? = before {
            networkChanged(from: old, to: network)
        }
        // A network that comes back at once never was away, as far as apps are concerned.
        if case .network(let network) = value, conditions.network != nil {
            if network == conditions.network {
                conditions.networkSettles = nil
            } else if conditions.networkSettles == nil {
                conditions.networkSettles = now + ConditionState.networkPause
            }
            return
        }
        if case .network(let network) = value { conditions.network = network }
        if kind == .timeZone || kind == .significantTime { readTime() }
        // The first that anybody says of it is no change.
        if before != nil { logRoot(.conditionChanged, .conditionChanged(value)) }
        if kind == .battery { watchBattery() }
        tellRunning()
    }

    /// There are several, each with its own past.
    private mutating func storeSensed(_ store: SharedStore) {
        let before = conditions.stores
        conditions.real.take(.store(store))
        guard conditions.stores != before else { return }
        // The first look at it is no change.
        if before.contains(where: { $0.name == store.name }) {
            logRoot(.conditionChanged, .conditionChanged(.store(store)))
        }
        tellRunning()
    }

    /// A tool says that it was changed, whether or not the device has it.
    private mutating func storePretended(_ store: SharedStore) {
        let before = conditions.stores
        conditions.simulated.take(.store(store))
        guard conditions.stores != before else { return }
        logRoot(.conditionChanged, .conditionChanged(.store(store)))
        tellRunning()
    }

    /// Low on battery, the system saves power by itself until it is charged. That few percent more end it, and not one,
    /// keeps a level that wavers from being told again and again.
    private mutating func watchBattery() {
        guard let rules = profile.power else { return }
        let (battery, before) = (conditions.battery, conditions.isLowPower)
        switch battery.state {
        case .unknown, .charging, .full: conditions.savesPower = nil
        case .unplugged where battery.percent <= rules.savesAt: conditions.savesPower = true
        case .unplugged where battery.percent > rules.savesAt + rules.margin: conditions.savesPower = nil
        case .unplugged: break
        }
        guard conditions.isLowPower != before else { return }
        logRoot(.conditionChanged, .savesPower(conditions.isLowPower, percent: battery.percent))
    }

    mutating func changeSetting(_ app: AppIndex, key: String, value: String?) throws(Refusal) {
        let i = try installed(app)
        let name = apps[i].manifest.name
        guard !isPlain(i) else { throw .takesNoSettings(name) }
        var settings = conditions[i]?.settings ?? []
        let place = settings.firstIndex { $0.key >= key } ?? settings.count
        let isKnown = place < settings.count && settings[place].key == key
        if let value {
            guard isKnown || settings.count < Setting.most else { throw .tooManySettings(name, limit: Setting.most) }
            if isKnown {
                settings[place].value = value
            } else {
                settings.insert(Setting(key: key, value: value), at: place)
            }
        } else if isKnown {
            settings.remove(at: place)
        }
        guard settings != conditions[i]?.settings ?? [] else { return }
        conditions.withApp(i) { $0.settings = settings }
        conditions.version += 1
        logRoot(.conditionChanged, .settingChanged(name, key: key))
        if apps[i].state.isRunning { touch(app) }
    }

    /// The wall clock was set, or an app that runs meets a new day.
    mutating func readTime() {
        let zone = conditions.zone
        let ahead = conditions.clockAhead
        let wall = wall(now).nanoseconds &+ ahead &* 1_000_000_000
        let second = Self.floor(wall, 1_000_000_000)
        let past = zone.transitions.last { $0.at <= second }
        let next = zone.transitions.first { $0.at > second }
        let offset = past?.offset ?? zone.offset
        let day = Self.floor(second &+ Int64(offset), 86_400)
        let clock = Self.floor(wallOffset, 1_000_000_000) &+ ahead
        let time = ClockReading(day: day, utcOffset: offset, clock: clock)
        if time != conditions.time { conditions.version += 1 }
        conditions.time = time
        let midnight = (day &+ 1) &* 86_400 &- Int64(offset)
        // By the machine's clock, which the deadline goes by.
        let ends = min(midnight, next?.at ?? midnight) &- ahead
        let (nanoseconds, isTooLate) = ends.multipliedReportingOverflow(by: 1_000_000_000)
        conditions.timeEnds = isTooLate ? .max : nanoseconds
        if conditions.midnight != nil { armMidnight() }
    }

    private static func floor(_ value: Int64, _ unit: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }

    mutating func clockSet() {
        fetch.mustLook = true
        readTime()
        tellRunning()
    }

    // MARK: Deadlines

    mutating func conditionsDue() {
        if let settles = conditions.networkSettles, settles <= now {
            conditions.networkSettles = nil
            if case .network(let network) = conditions.value(.network), network != conditions.network {
                conditions.network = network
                logRoot(.conditionChanged, .conditionChanged(.network(network)))
                tellRunning()
            }
        }
        protectedDataDue()
        if let midnight = conditions.midnight, midnight <= now {
            conditions.midnight = nil
            readTime()
            tellRunning()
        }
    }

    private mutating func armMidnight() {
        let (moment, isTooLate) = conditions.timeEnds.subtractingReportingOverflow(wallOffset)
        let earliest = now + .milliseconds(1)
        conditions.midnight = isTooLate ? nil : max(earliest, Instant(nanoseconds: moment))
    }

    /// A new day wakes nobody: the deadline for it stands only while somebody runs.
    mutating func disarmMidnightIfNobodyRuns() {
        if conditions.midnight != nil, countRunningApps() == 0 { conditions.midnight = nil }
    }

    // MARK: Telling

    /// Its process hears what it is told.
    @inline(__always)
    func isListening(_ i: Int) -> Bool {
        // The app's own properties one by one: what is asked of it as a whole copies it (seen in profiles).
        switch apps[i].process {
        case .none, .starting, .connecting: return false
        case .launching, .alive: break
        }
        if case .plain = apps[i].processKind { return false }
        guard apps[i].state.isRunning, !apps[i].$ending else { return false }
        return !apps[i].suspension.isUnderWay
    }

    mutating func tellRunning() {
        conditions.version += 1
        for i in apps.indices where isListening(i) { touch(apps[i].index) }
    }

    /// The device as this app has to see it.
    private func present(_ i: Int, time: ClockReading) -> DeviceConditions {
        var result = DeviceConditions(time: time)
        result.settings = conditions[i]?.settings ?? []
        if case .locale(let locale) = conditions.value(.locale) { result.locale = locale }
        if case .screen(let screen) = conditions.value(.screen) { result.screen = screen }
        if case .battery(let battery) = conditions.value(.battery) { result.battery = battery }
        result.timeZone = conditions.zone.identifier
        result.network = conditions.network ?? .none
        // As on iOS, nothing refreshes in the background in low-power mode, and apps hear that it is so.
        result.refreshes = profile.hasMultitasking && !apps[i].wake.isRefreshOff && !conditions.isLowPower
        result.isLowPower = conditions.isLowPower
        result.thermalState = conditions.thermalState
        result.orientation = conditions.orientation
        result.stores = conditions.stores
        result.protectedData = conditions.protectedData
        result.screenshots = conditions[i]?.screenshots ?? 0
        result.memoryRecoveries = conditions[i]?.memoryRecoveries ?? 0
        return result
    }

    /// Tells an app that runs what has changed since it was told last; nothing if nothing has.
    mutating func tellChanges(_ i: Int, wasSuspended: Bool = false) {
        guard apps[i].isConnected, isListening(i) else { return }
        if conditions.time == nil || wall(now).nanoseconds >= conditions.timeEnds { readTime() }
        if conditions.midnight == nil { armMidnight() }
        guard !knowsAll(i), let time = conditions.time else { return }
        let (told, version) = (conditions[i]?.told, conditions.version)
        let present = present(i, time: time)
        let changes = told.map { present.changes(since: $0) } ?? []
        let isDue = told == nil || conditions[i]?.mayHaveMissed == true || !changes.isEmpty
        conditions.withApp(i) {
            $0.version = version
            guard isDue else { return }
            $0.told = present
            $0.mayHaveMissed = false
        }
        guard isDue else { return }
        if wasSuspended, !changes.isEmpty { log(i, .toldOfChanges, .changedMeanwhile(changes)) }
        emit(.tellConditions(apps[i].index, apps[i].generation, present), cause: apps[i].cause)
    }

    /// It was told of everything as it is. Asked whenever it may be told, and nearly always so.
    @inline(__always)
    private func knowsAll(_ i: Int) -> Bool {
        guard i < conditions.apps.count, conditions.apps[i].version == conditions.version else { return false }
        if case .none = conditions.apps[i].told { return false }
        return !conditions.apps[i].mayHaveMissed
    }

    /// A new process knows nothing, and is told everything before its launch.
    mutating func forgetTold(_ i: Int) {
        if conditions[i]?.keepsScreenOn == true { keepScreenOn(false, i) }
        guard conditions[i]?.told != nil else { return }
        conditions.withApp(i) { $0.told = nil }
    }

    mutating func mayHaveMissedChanges(_ i: Int) {
        guard conditions[i]?.told != nil else { return }
        conditions.withApp(i) { $0.mayHaveMissed = true }
    }
}
