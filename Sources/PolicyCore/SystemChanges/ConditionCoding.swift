package import Model

// The stable form of what events and effects say of the device's surroundings; see `EventCoding.swift`.
extension Condition {
    package func encode(into writer: inout ByteWriter) {
        writer.write(kind.rawValue)
        switch self {
        case .locale(let identifier): writer.write(identifier)
        case .timeZone(let zone):
            writer.write(zone.identifier)
            writer.write(Int64(zone.offset))
            writer.write(zone.transitions) {
                $0.write($1.at)
                $0.write(Int64($1.offset))
            }
        case .screen(let screen):
            writer.write(Int64(screen.brightness))
            writer.write(Int64(screen.external))
        case .battery(let battery):
            writer.write(battery.state.rawValue)
            writer.write(Int64(battery.percent))
        case .network(let network): writer.write(network.rawValue)
        case .lowPower(let isOn): writer.write(isOn)
        case .thermalState(let state): writer.write(state.rawValue)
        case .orientation(let orientation): writer.write(orientation.rawValue)
        case .store(let store):
            writer.write(store.name)
            writer.write(store.stamp)
        case .clock(let seconds): writer.write(seconds)
        case .screenshot: break
        }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let kind = try reader.value(SystemChange.self)
        switch kind {
        case .locale: self = .locale(try reader.string())
        case .timeZone:
            let (identifier, offset) = (try reader.string(), try reader.small())
            let transitions = try reader.array { reader throws(MalformedBytes) in
                TimeZoneReading.Transition(at: try reader.signed(), offset: try reader.small())
            }
            let zone = TimeZoneReading(identifier, offset: offset, transitions: transitions)
            try reader.require(zone.offset == offset)
            self = .timeZone(zone)
        case .screen:
            let (brightness, external) = (try reader.small(), try reader.small())
            let screen = ScreenReading(brightness: brightness, external: external)
            try reader.require(screen.brightness == brightness && screen.external == external)
            self = .screen(screen)
        case .battery:
            let state = try reader.value(BatteryReading.State.self)
            let percent = try reader.small()
            let battery = BatteryReading(state, percent: percent)
            try reader.require(battery.percent == percent)
            self = .battery(battery)
        case .network: self = .network(try reader.value(NetworkKind.self))
        case .lowPower: self = .lowPower(try reader.bool())
        case .thermalState: self = .thermalState(try reader.value(ThermalState.self))
        case .orientation: self = .orientation(try reader.value(Orientation.self))
        case .sharedStores:
            let name = try reader.string()
            self = .store(SharedStore(name, stamp: try reader.signed()))
        case .significantTime: self = .clock(ahead: try reader.signed())
        case .screenshot: self = .screenshot
        case .settings, .backgroundRefresh, .protectedData, .memory:
            throw MalformedBytes(offset: reader.offset - 1, expected: "something that can be sensed")
        }
    }
}

extension ByteReader {
    /// What was written is within its bounds.
    fileprivate func require(_ condition: Bool) throws(MalformedBytes) {
        if !condition { throw MalformedBytes(offset: offset, expected: "a number within its bounds") }
    }

    fileprivate mutating func small() throws(MalformedBytes) -> Int32 {
        guard let value = Int32(exactly: try signed()) else {
            throw MalformedBytes(offset: offset, expected: "a smaller number")
        }
        return value
    }
}

extension FieldSink {
    mutating func write(_ conditions: DeviceConditions) {
        write(UInt64(conditions.settings.count))
        for setting in conditions.settings {
            write(setting.key)
            write(setting.value)
        }
        write(conditions.locale)
        write(conditions.timeZone)
        for number in [conditions.time.day, Int64(conditions.time.utcOffset), conditions.time.clock] { write(number) }
        write(Int64(conditions.screen.brightness))
        write(Int64(conditions.screen.external))
        write(conditions.battery.state.rawValue)
        write(Int64(conditions.battery.percent))
        // The upper bits say what was not there when the first of these were written.
        let later =
            conditions.thermalState.rawValue | (conditions.isLowPower ? 0x04 : 0) | conditions.orientation.rawValue << 3
            | (conditions.stores.isEmpty ? 0 : 0x40)
        // Of what came after that, in the same way.
        let latest =
            conditions.protectedData.rawValue | (conditions.screenshots == 0 ? 0 : 0x04)
            | (conditions.memoryRecoveries == 0 ? 0 : 0x08)
        write(conditions.network.rawValue | (conditions.refreshes ? 0 : 0x80) | (later | latest == 0 ? 0 : 0x40))
        guard later | latest != 0 else { return }
        write(later | (latest == 0 ? 0 : 0x80))
        if !conditions.stores.isEmpty {
            write(UInt64(conditions.stores.count))
            for store in conditions.stores {
                write(store.name)
                write(store.stamp)
            }
        }
        guard latest != 0 else { return }
        write(latest)
        if conditions.screenshots != 0 { write(conditions.screenshots) }
        if conditions.memoryRecoveries != 0 { write(conditions.memoryRecoveries) }
    }

    /// Reasons 70 to 72, 109, 111 and 112.
    mutating func writeChange(_ reason: Reason) {
        switch reason {
        case .conditionChanged(let condition):
            write(UInt8(70))
            var writer = ByteWriter()
            condition.encode(into: &writer)
            for byte in writer.bytes { write(byte) }
        case .changedMeanwhile(let changes):
            write(UInt8(71))
            write(UInt64(changes.count))
            for change in changes { write(change.rawValue) }
        case .settingChanged(let name, let key):
            write(UInt8(72))
            write(name)
            write(key)
        case .savesPower(let isOn, let percent):
            write(UInt8(109))
            write(isOn)
            write(Int64(percent))
        case .protectedDataUnavailable(let span):
            write(UInt8(111))
            write(span.nanoseconds)
        case .keepsScreenOn(let name, let keeps):
            write(UInt8(112))
            write(name)
            write(keeps)
        default: break
        }
    }
}
