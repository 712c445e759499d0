/// A kind of change that apps are told of (R12).
package enum SystemChange: UInt8, Sendable, Codable, CaseIterable {
    case settings, locale, timeZone, significantTime, screen, battery, network, backgroundRefresh
    case lowPower = 23
    case thermalState, orientation, sharedStores, protectedData, screenshot, memory

    package var name: String { "\(self)" }

    package var phrase: String {
        switch self {
        case .settings: "its settings"
        case .locale: "the locale"
        case .timeZone: "the time zone"
        case .significantTime: "the day or the clock"
        case .screen: "the screen"
        case .battery: "the battery"
        case .network: "the network"
        case .backgroundRefresh: "whether it may refresh in the background"
        case .lowPower: "low-power mode"
        case .thermalState: "how warm the device is"
        case .orientation: "the orientation"
        case .sharedStores: "what apps share"
        case .protectedData: "whether protected files can be read"
        case .screenshot: "a picture of the screen"
        case .memory: "memory, which is no longer short,"
        }
    }
}

/// What connects the device to others, as far as it does.
package enum NetworkKind: UInt8, Sendable, Codable, CaseIterable {
    case none, wifi, cellular, wired

    package var name: String { "\(self)" }
}

/// How full the battery is, and what becomes of it.
package struct BatteryReading: Hashable, Sendable, Codable {
    package enum State: UInt8, Sendable, Codable, CaseIterable {
        /// There is none, or nobody knows.
        case unknown
        case unplugged, charging, full

        package var name: String { "\(self)" }
    }

    package var state: State
    /// From 0 to 100; of no meaning where the state is unknown.
    package var percent: Int32

    package init(_ state: State, percent: Int32) {
        self.state = state
        self.percent = min(max(percent, 0), 100)
    }

    package static let none = BatteryReading(.unknown, percent: 100)
}

/// What of the screen can change.
package struct ScreenReading: Hashable, Sendable, Codable {
    /// From 0 to 100.
    package var brightness: Int32
    /// Screens beside the device's own.
    package var external: Int32

    package init(brightness: Int32 = 100, external: Int32 = 0) {
        self.brightness = min(max(brightness, 0), 100)
        self.external = min(max(external, 0), 16)
    }
}

/// How warm the device is, as `ProcessInfo.ThermalState` has it.
package enum ThermalState: UInt8, Sendable, Codable, CaseIterable, Comparable {
    case nominal, fair, serious, critical

    package var name: String { "\(self)" }

    package static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }
}

/// How the device is held, with the numbers of `UIDeviceOrientation`.
package enum Orientation: UInt8, Sendable, Codable, CaseIterable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown

    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeLeft: "landscape-left"
        case .landscapeRight: "landscape-right"
        case .faceUp: "face-up"
        case .faceDown: "face-down"
        }
    }
}

/// Whether files that are protected by the device's lock can be read.
package enum ProtectedData: UInt8, Sendable, Codable, CaseIterable {
    case available
    /// The device was locked a moment ago: they can be read for some seconds more.
    case ending
    case unavailable

    package var name: String { "\(self)" }
}

/// A file or folder that apps share, such as the user's contacts, and a number that is another after each change.
package struct SharedStore: Hashable, Sendable, Codable {
    package var name: String
    package var stamp: Int64

    package init(_ name: String, stamp: Int64) {
        self.name = name
        self.stamp = stamp
    }

    /// Of a device.
    package static let most = 16
    package static let longestName = 64
}

/// A time zone: which it is, and how far it is from UTC from when on.
package struct TimeZoneReading: Hashable, Sendable, Codable {
    package struct Transition: Hashable, Sendable, Codable {
        /// Seconds since 1970, UTC.
        package var at: Int64
        /// Seconds east of Greenwich from then on.
        package var offset: Int32

        package init(at: Int64, offset: Int32) {
            self.at = at
            self.offset = offset
        }
    }

    package var identifier: String
    /// Seconds east of Greenwich, before the first transition.
    package var offset: Int32
    /// The next ones, in their order.
    package var transitions: [Transition]

    package init(_ identifier: String, offset: Int32, transitions: [Transition] = []) {
        self.identifier = identifier
        self.offset = min(max(offset, -86_400), 86_400)
        self.transitions = transitions
    }

    /// More years than a daemon runs.
    package static let mostTransitions = 16
    package static let utc = TimeZoneReading("UTC", offset: 0)
}

/// One thing about the device that apps are told of.
package enum Condition: Hashable, Sendable, Codable {
    case locale(String)
    case timeZone(TimeZoneReading)
    case screen(ScreenReading)
    case battery(BatteryReading)
    case network(NetworkKind)
    /// The user saves power.
    case lowPower(Bool)
    case thermalState(ThermalState)
    case orientation(Orientation)
    case store(SharedStore)
    /// The clock that apps are told about is so many seconds ahead of the machine's. Only tools pretend that.
    case clock(ahead: Int64)
    /// The user takes a picture of the screen. It happens, and is nothing that lasts.
    case screenshot

    package var kind: SystemChange {
        switch self {
        case .locale: .locale
        case .timeZone: .timeZone
        case .screen: .screen
        case .battery: .battery
        case .network: .network
        case .lowPower: .lowPower
        case .thermalState: .thermalState
        case .orientation: .orientation
        case .store: .sharedStores
        case .clock: .significantTime
        case .screenshot: .screenshot
        }
    }

    package var sentence: String {
        switch self {
        case .locale(let identifier): "the locale is \(identifier)"
        case .timeZone(let zone): "the time zone is \(zone.identifier)"
        case .screen(let screen):
            "the screen's brightness is \(screen.brightness) %"
                + (screen.external == 0 ? "" : ", and \(screen.external) more are connected")
        case .battery(let battery) where battery.state == .unknown: "the battery is unknown"
        case .battery(let battery): "the battery is at \(battery.percent) %, \(battery.state.name)"
        case .network(.none): "there is no network"
        case .network(let kind): "the network is \(kind.name)"
        case .lowPower(let isOn): "low-power mode is \(isOn ? "on" : "off")"
        case .thermalState(let state): "the device's thermal state is \(state.name)"
        case .orientation(.unknown): "the device's orientation is unknown"
        case .orientation(let orientation): "the device's orientation is \(orientation.name)"
        case .store(let store): "what apps share as \(store.name) was changed"
        case .clock(0): "the clock is the machine's"
        case .clock(let seconds):
            "the clock is \(seconds.magnitude) s \(seconds > 0 ? "ahead of" : "behind") the machine's"
        case .screenshot: "the user took a picture of the screen"
        }
    }
}

/// One of an app's settings, as the user set it outside of the app.
package struct Setting: Hashable, Sendable, Codable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Of one app.
    package static let most = 32
    package static let longestKey = 128
    package static let longestValue = 1024
}

/// The calendar day, and what else of the time matters to an app that runs for long.
package struct ClockReading: Hashable, Sendable, Codable {
    /// Days since 1970, where the device is.
    package var day: Int64
    /// Seconds east of Greenwich.
    package var utcOffset: Int32
    /// Wall clock minus boot clock, in seconds: it changes when somebody sets the clock.
    package var clock: Int64

    package init(day: Int64, utcOffset: Int32, clock: Int64) {
        self.day = day
        self.utcOffset = utcOffset
        self.clock = clock
    }

    /// Seconds by which a tool may pretend that the clock was set, in either direction.
    package static let maxPretended: Int64 = 1 << 32

    /// A clock that is set by less is corrected, not changed.
    package static let correction: Int64 = 60

    package func differsSignificantly(from other: ClockReading) -> Bool {
        day != other.day || utcOffset != other.utcOffset
            || (clock &- other.clock).magnitude > UInt64(Self.correction)
    }
}

/// Everything of the device that an app is told of, as it is at a moment.
package struct DeviceConditions: Hashable, Sendable, Codable {
    package var settings: [Setting] = []
    package var locale = "en_US"
    package var timeZone = "UTC"
    package var time: ClockReading
    package var screen = ScreenReading()
    package var battery = BatteryReading.none
    package var network = NetworkKind.none
    /// The user lets the app refresh in the background.
    package var refreshes = true
    package var isLowPower = false
    package var thermalState = ThermalState.nominal
    package var orientation = Orientation.unknown
    /// In the order of their names.
    package var stores: [SharedStore] = []
    package var protectedData = ProtectedData.available
    /// How many pictures the user took of the screen while the app was on it.
    package var screenshots: Int64 = 0
    /// How often memory was no longer short after the app had been warned.
    package var memoryRecoveries: Int64 = 0

    package init(time: ClockReading) { self.time = time }

    /// Checkpoints from before there was something of this say nothing of it.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        settings = try values.decode([Setting].self, forKey: .settings)
        locale = try values.decode(String.self, forKey: .locale)
        timeZone = try values.decode(String.self, forKey: .timeZone)
        time = try values.decode(ClockReading.self, forKey: .time)
        screen = try values.decode(ScreenReading.self, forKey: .screen)
        battery = try values.decode(BatteryReading.self, forKey: .battery)
        network = try values.decode(NetworkKind.self, forKey: .network)
        refreshes = try values.decodeIfPresent(Bool.self, forKey: .refreshes) ?? true
        isLowPower = try values.decodeIfPresent(Bool.self, forKey: .isLowPower) ?? false
        thermalState = try values.decodeIfPresent(ThermalState.self, forKey: .thermalState) ?? .nominal
        orientation = try values.decodeIfPresent(Orientation.self, forKey: .orientation) ?? .unknown
        stores = try values.decodeIfPresent([SharedStore].self, forKey: .stores) ?? []
        protectedData = try values.decodeIfPresent(ProtectedData.self, forKey: .protectedData) ?? .available
        screenshots = try values.decodeIfPresent(Int64.self, forKey: .screenshots) ?? 0
        memoryRecoveries = try values.decodeIfPresent(Int64.self, forKey: .memoryRecoveries) ?? 0
    }

    /// What is not as it was, in the order in which apps are told.
    package func changes(since old: DeviceConditions) -> [SystemChange] {
        var changes: [SystemChange] = []
        if settings != old.settings { changes.append(.settings) }
        if locale != old.locale { changes.append(.locale) }
        if timeZone != old.timeZone { changes.append(.timeZone) }
        if time.differsSignificantly(from: old.time) { changes.append(.significantTime) }
        if screen != old.screen { changes.append(.screen) }
        if battery != old.battery { changes.append(.battery) }
        if network != old.network { changes.append(.network) }
        if refreshes != old.refreshes { changes.append(.backgroundRefresh) }
        if isLowPower != old.isLowPower { changes.append(.lowPower) }
        if thermalState != old.thermalState { changes.append(.thermalState) }
        if orientation != old.orientation { changes.append(.orientation) }
        if stores != old.stores { changes.append(.sharedStores) }
        if protectedData != old.protectedData { changes.append(.protectedData) }
        if screenshots != old.screenshots { changes.append(.screenshot) }
        if memoryRecoveries != old.memoryRecoveries { changes.append(.memory) }
        return changes
    }
}
