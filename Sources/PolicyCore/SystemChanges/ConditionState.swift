package import Model

/// What the Core knows of the device's surroundings, and what of it each app was told last. An app has one picture of
/// it at most, whatever happens while it is suspended: nothing is queued.
package struct ConditionState: Hashable, Codable, Sendable {
    /// What is known; `nil`: nobody has said.
    struct Readings: Hashable, Codable {
        var locale: String?
        var timeZone: TimeZoneReading?
        var screen: ScreenReading?
        var battery: BatteryReading?
        var network: NetworkKind?
        var lowPower: Bool?
        var thermalState: ThermalState?
        var orientation: Orientation?
        /// In the order of their names; `nil`: none.
        var stores: [SharedStore]?

        mutating func take(_ condition: Condition) {
            switch condition {
            case .locale(let value): locale = value
            case .timeZone(let value): timeZone = value
            case .screen(let value): screen = value
            case .battery(let value): battery = value
            case .network(let value): network = value
            case .lowPower(let value): lowPower = value
            case .thermalState(let value): thermalState = value
            case .orientation(let value): orientation = value
            case .store(let value): take(value)
            // `ConditionState` has it, since only tools say it. A picture of the screen happens, and is over.
            case .clock, .screenshot: break
            }
        }

        private mutating func take(_ store: SharedStore) {
            var known = stores ?? []
            let place = known.firstIndex { $0.name >= store.name } ?? known.count
            if place < known.count, known[place].name == store.name {
                known[place] = store
            } else if known.count < SharedStore.most {
                known.insert(store, at: place)
            }
            stores = known
        }

        mutating func forget(_ kind: SystemChange) {
            switch kind {
            case .locale: locale = nil
            case .timeZone: timeZone = nil
            case .screen: screen = nil
            case .battery: battery = nil
            case .network: network = nil
            case .lowPower: lowPower = nil
            case .thermalState: thermalState = nil
            case .orientation: orientation = nil
            // What was changed stays changed.
            case .sharedStores: break
            case .settings, .significantTime, .backgroundRefresh, .protectedData, .screenshot, .memory: break
            }
        }
    }

    struct OfApp: Hashable, Codable {
        var settings: [Setting] = []
        /// What its process was told last; `nil` where it was told nothing.
        var told: DeviceConditions?
        /// `version` at that time.
        var version: UInt64 = 0
        /// What it was told may have been lost with its connection.
        var mayHaveMissed = false
        /// How many pictures were taken of the screen while it was there; `nil`: none.
        var screenshots: Int64?
        /// How often memory was no longer short after it had been warned; `nil`: never.
        var memoryRecoveries: Int64?
        /// Its process wants the screen to stay on while it is active; `nil`: no.
        var keepsScreenOn: Bool?
    }

    /// What the machine says.
    var real = Readings()
    /// What somebody pretends, until it is taken back.
    var simulated = Readings()
    /// Seconds by which tools pretend that the clock is ahead of the machine's; `nil`: none.
    var pretendedClock: Int64?
    /// The battery is so low that the system saves power by itself; `nil`: no, as before it did.
    var savesPower: Bool?
    /// The network that apps are told of: a moment behind, so that one that comes and goes is told once.
    var network: NetworkKind?
    var networkSettles: Instant?
    /// What the device's lock did to protected files; `nil`: nothing, they can be read.
    var protection: ProtectedData?
    /// When they can no longer be read.
    var protectionDue: Instant?
    /// How many processes want the screen to stay on while their app is active; `nil`: none.
    var screenKeepers: Int?
    /// The app that keeps the screen on.
    package internal(set) var screenHolder: AppIndex?
    /// Grows with every change, so that it costs one comparison that there was none.
    var version: UInt64 = 1
    /// The time that apps are told of, and the wall clock's moment at which it will be another.
    var time: ClockReading?
    var timeEnds: Int64 = 0
    /// Armed while an app runs that can be told of a new day.
    var midnight: Instant?
    var apps: [OfApp] = []

    /// How long a network may come and go before apps are told.
    static let networkPause = Span.milliseconds(500)

    package init() {}

    /// Grows as needed: no app but those that were told something, or have settings, has a place.
    mutating func withApp<Result>(_ i: Int, _ body: (inout OfApp) -> Result) -> Result {
        while apps.count <= i { apps.append(OfApp()) }
        return body(&apps[i])
    }

    /// Whether some app keeps the screen on, or may. Asked after every event.
    @inline(__always)
    var mayHoldScreen: Bool {
        if case .some = screenKeepers { return true }
        if case .some = screenHolder { return true }
        return false
    }

    subscript(i: Int) -> OfApp? { i < apps.count ? apps[i] : nil }

    var zone: TimeZoneReading { simulated.timeZone ?? real.timeZone ?? .utc }

    func value(_ kind: SystemChange) -> Condition? {
        switch kind {
        case .locale: (simulated.locale ?? real.locale).map(Condition.locale)
        case .timeZone: (simulated.timeZone ?? real.timeZone).map(Condition.timeZone)
        case .screen: (simulated.screen ?? real.screen).map(Condition.screen)
        case .battery: (simulated.battery ?? real.battery).map(Condition.battery)
        case .network: (simulated.network ?? real.network).map(Condition.network)
        case .lowPower: .lowPower(isLowPower)
        case .thermalState: .thermalState(thermalState)
        case .orientation: .orientation(orientation)
        case .significantTime: .clock(ahead: clockAhead)
        case .sharedStores, .protectedData, .screenshot, .memory: nil
        case .settings, .backgroundRefresh: nil
        }
    }
}

// A checkpoint from before apps were told of changes says nothing of them.
extension KeyedDecodingContainer {
    func decode(_ type: ConditionState.Type, forKey key: Key) throws -> ConditionState {
        try decodeIfPresent(type, forKey: key) ?? ConditionState()
    }
}

extension ConditionState {
    /// False where the machine has said so before.
    package func isNew(_ condition: Condition) -> Bool {
        var after = real
        after.take(condition)
        return after != real
    }

    /// Another one means that something is another than it was.
    package var changeCount: UInt64 { version }
    package var battery: BatteryReading { simulated.battery ?? real.battery ?? .none }
    /// As apps are told of it.
    package var presentNetwork: NetworkKind { network ?? .none }

    /// What somebody pretends counts, also against the battery.
    package var isLowPower: Bool { simulated.lowPower ?? (real.lowPower == true || savesPower == true) }
    package var thermalState: ThermalState { simulated.thermalState ?? real.thermalState ?? .nominal }
    /// What the machine says, whatever is pretended.
    package var sensedThermalState: ThermalState { real.thermalState ?? .nominal }
    /// Those that were seen, in the order of their names. A pretended change counts in addition to the real ones.
    package var stores: [SharedStore] {
        guard let pretended = simulated.stores else { return real.stores ?? [] }
        var all = Readings()
        all.stores = real.stores
        for store in pretended {
            let seen = real.stores?.first { $0.name == store.name }?.stamp ?? 0
            all.take(.store(SharedStore(store.name, stamp: seen &+ store.stamp)))
        }
        return all.stores ?? []
    }

    /// How often a tool pretended that this store was changed.
    package func pretendedChanges(of store: String) -> Int64 {
        simulated.stores?.first { $0.name == store }?.stamp ?? 0
    }

    /// Seconds by which the clock that apps are told about is ahead of the machine's.
    package var clockAhead: Int64 { pretendedClock ?? 0 }
    /// Seconds until the next day begins where the device is, by the clock that apps are told about.
    package func secondsToMidnight(fromWall second: Int64) -> Int64 {
        let second = second &+ clockAhead
        let offset = zone.transitions.last { $0.at <= second }?.offset ?? zone.offset
        let since = (second &+ Int64(offset)) % 86_400
        return 86_400 - (since < 0 ? since + 86_400 : since)
    }

    package var orientation: Orientation { simulated.orientation ?? real.orientation ?? .unknown }

    package var protectedData: ProtectedData { protection ?? .available }

    /// The screen, as apps are told of it.
    package var screen: ScreenReading { simulated.screen ?? real.screen ?? ScreenReading() }
}
