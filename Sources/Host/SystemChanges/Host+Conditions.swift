internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// Changes of the device, pretended by a tool: docs/PROTOCOL.md, 3.2.
extension JSONValue {
    /// What `simulate` pretends of the device.
    func condition(of event: SimulatedEvent, in present: ConditionState) throws(RPCError) -> Command {
        let isReal = try bool("real", default: false)
        switch event {
        case .network:
            if isReal { return .endSimulation(.network) }
            let name = try string("value")
            guard let kind = NetworkKind.allCases.first(where: { $0.name == name }) else {
                throw .invalidParameter("value", "a network is none, wifi, cellular or wired")
            }
            return .simulate(.network(kind))
        case .battery:
            if isReal { return .endSimulation(.battery) }
            let name = try optionalString("state") ?? "unplugged"
            guard let state = BatteryReading.State.allCases.first(where: { $0.name == name }) else {
                throw .invalidParameter("state", "a battery is unplugged, charging, full or unknown")
            }
            return .simulate(.battery(BatteryReading(state, percent: try percent("level"))))
        case .locale: return isReal ? .endSimulation(.locale) : .simulate(.locale(try placeName("value")))
        case .timezone:
            if isReal { return .endSimulation(.timeZone) }
            let name = try placeName("value")
            guard let zone = ConditionSources().timeZone(named: name, at: Clock.wall() / 1_000_000_000) else {
                throw .invalidParameter("value", "there is no time zone \(name): they have names like Asia/Tokyo")
            }
            return .simulate(zone)
        case .lowPower: return isReal ? .endSimulation(.lowPower) : .simulate(.lowPower(try bool("value")))
        case .thermal:
            if isReal { return .endSimulation(.thermalState) }
            return .simulate(.thermalState(try named("value", ThermalState.allCases, \.name)))
        case .orientation:
            if isReal { return .endSimulation(.orientation) }
            return .simulate(.orientation(try named("value", Orientation.allCases, \.name)))
        case .screenshot: return .simulate(.screenshot)
        case .clock: return isReal ? .endSimulation(.significantTime) : .simulate(try clock(in: present))
        case .store: return .simulate(try store(in: present))
        default:
            if isReal { return .endSimulation(.screen) }
            var screen = present.screen
            if try optionalInt("brightness") != nil { screen.brightness = try percent("brightness") }
            if let external = try optionalInt("external") {
                screen = ScreenReading(brightness: screen.brightness, external: Int32(clamping: external))
            }
            return .simulate(.screen(screen))
        }
    }

    /// The clock that apps are told about, and nothing else, is set forward or back.
    private func clock(in present: ConditionState) throws(RPCError) -> Condition {
        let isMidnight = try bool("midnight", default: false)
        let seconds =
            isMidnight ? present.secondsToMidnight(fromWall: Clock.wall() / 1_000_000_000) : Int64(try int("by"))
        let (ahead, isOver) = present.clockAhead.addingReportingOverflow(seconds)
        guard !isOver, ahead.magnitude <= UInt64(ClockReading.maxPretended) else {
            throw .invalidParameter("by", "a clock can be set by at most \(ClockReading.maxPretended) seconds in all")
        }
        return .clock(ahead: ahead)
    }

    private func store(in present: ConditionState) throws(RPCError) -> Condition {
        let name = try string("value")
        guard !name.isEmpty, name.utf8.count <= SharedStore.longestName else {
            throw .invalidParameter("value", "a store's name has 1 to \(SharedStore.longestName) bytes")
        }
        let known = present.stores.map(\.name)
        guard known.contains(name) || known.count < SharedStore.most else {
            throw .invalidParameter("value", "the device has \(known.count) stores already: use one of them")
        }
        return .store(SharedStore(name, stamp: present.pretendedChanges(of: name) &+ 1))
    }

    func setting(of app: AppIndex) throws(RPCError) -> Command {
        let (key, value) = (try string("key"), try optionalString("value"))
        guard !key.isEmpty, key.utf8.count <= Setting.longestKey else {
            throw .invalidParameter("key", "a setting's name has 1 to \(Setting.longestKey) bytes")
        }
        guard value?.utf8.count ?? 0 <= Setting.longestValue else {
            throw .invalidParameter("value", "a setting has at most \(Setting.longestValue) bytes")
        }
        return .changeSetting(app, key: key, value: value)
    }

    private func named<Value>(
        _ parameter: String, _ values: [Value], _ name: (Value) -> String
    ) throws(RPCError) -> Value {
        let word = try string(parameter)
        guard let value = values.first(where: { name($0) == word }) else {
            throw .invalidParameter(parameter, "\(parameter) is one of \(values.map(name).joined(separator: ", "))")
        }
        return value
    }

    private func percent(_ name: String) throws(RPCError) -> Int32 {
        let value = try int(name)
        guard (0...100).contains(value) else { throw .invalidParameter(name, "\(name) is from 0 to 100, in percent") }
        return Int32(value)
    }

    private func placeName(_ name: String) throws(RPCError) -> String {
        let text = try string(name)
        guard !text.isEmpty, text.utf8.count <= Wire.Limits.placeName else {
            throw .invalidParameter(name, "\(name) has 1 to \(Wire.Limits.placeName) bytes")
        }
        return text
    }
}
