internal import LinuxSystem
internal import Model

/// What the machine says of itself, as files: each answer is what is so at that moment.
struct ConditionSources: Sendable {
    /// Tests have folders of their own.
    var etc = CurrentProcess.environment("GREENROOM_ETC") ?? "/etc"
    var sys = CurrentProcess.environment("GREENROOM_SYS") ?? "/sys"
    var proc = "/proc"
    var zones = "/usr/share/zoneinfo"

    private func text(_ path: String) -> String? {
        FileSystem.read(path, limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    private func word(_ path: String) -> String? {
        text(path)?.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    // MARK: Locale

    /// The first that says one: what systemd writes, what Debian writes, the daemon's own.
    func locale() -> Condition {
        let given =
            ["locale.conf", "default/locale"].lazy.compactMap { text("\(etc)/\($0)").flatMap(Self.locale) }.first
            ?? CurrentProcess.environment("LANG")
        return .locale(Self.identifier(given ?? ""))
    }

    private static func locale(_ text: String) -> String? {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[String(parts[0])] = parts[1].filter { $0 != "\"" && $0 != "'" }
        }
        return [values["LC_ALL"], values["LANG"]].lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    /// `de_DE.UTF-8@euro` is `de_DE`, as Apple writes it.
    static func identifier(_ locale: String) -> String {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        if name.isEmpty || name == "C" || name == "POSIX" { return "en_US_POSIX" }
        return String(name.prefix(64))
    }

    // MARK: Time zone

    func timeZone(at moment: Int64) -> Condition {
        let link = FileSystem.linkTarget("\(etc)/localtime") ?? ""
        let name =
            link.firstRange(of: "zoneinfo/").map { String(link[$0.upperBound...]) } ?? word("\(etc)/timezone")
            ?? "UTC"
        let bytes = FileSystem.read("\(etc)/localtime", limit: 1 << 20) ?? []
        return .timeZone(Self.reading(String(name.prefix(64)), bytes, at: moment) ?? .utc)
    }

    /// `nil` where there is no such zone.
    func timeZone(named name: String, at moment: Int64) -> Condition? {
        let isName = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [43, 45, 47, 95].contains(byte)
        }
        guard isName, !name.isEmpty, !name.hasPrefix("/"),
            let bytes = FileSystem.read("\(zones)/\(name)", limit: 1 << 20)
        else { return nil }
        return Self.reading(name, bytes, at: moment).map(Condition.timeZone)
    }

    private static func reading(_ name: String, _ bytes: [UInt8], at moment: Int64) -> TimeZoneReading? {
        guard let look = TimeZoneFile(bytes)?.look(at: moment, most: TimeZoneReading.mostTransitions) else {
            return nil
        }
        return TimeZoneReading(
            name, offset: look.offset,
            transitions: look.next.map { TimeZoneReading.Transition(at: $0.at, offset: $0.offset) })
    }

    // MARK: Network

    func network() -> Condition {
        switch DefaultLink(sys: sys, proc: proc).kind {
        case nil: .network(.none)
        case .wireless?: .network(.wifi)
        case .modem?: .network(.cellular)
        case .wired?: .network(.wired)
        }
    }

    // MARK: Devices

    /// The first battery that feeds the machine, not a mouse.
    func battery() -> Condition {
        let folder = "\(sys)/class/power_supply"
        for name in FileSystem.names(in: folder).sorted() {
            let supply = "\(folder)/\(name)"
            guard word("\(supply)/type") == "Battery", word("\(supply)/scope") != "Device",
                let percent = word("\(supply)/capacity").flatMap({ Int32($0) })
            else { continue }
            let state: BatteryReading.State =
                switch word("\(supply)/status") {
                case "Charging": .charging
                case "Full", "Not": .full
                case "Discharging": .unplugged
                default: .unknown
                }
            return .battery(BatteryReading(state, percent: percent))
        }
        return .battery(.none)
    }

    /// The platform's profile, which the user sets in the firmware, by a key, or in the desktop's settings.
    var powerProfile: String { "\(sys)/firmware/acpi/platform_profile" }

    /// `nil` on a machine without such profiles.
    func lowPower() -> Condition? { word(powerProfile).map { .lowPower($0 == "low-power") } }

    func screen() -> Condition {
        var screen = ScreenReading()
        let lights = "\(sys)/class/backlight"
        for name in FileSystem.names(in: lights).sorted().prefix(1) {
            guard let light = word("\(lights)/\(name)/brightness").flatMap({ Int32($0) }),
                let most = word("\(lights)/\(name)/max_brightness").flatMap({ Int32($0) }), most > 0
            else { continue }
            screen = ScreenReading(brightness: Int32(clamping: Int64(light) * 100 / Int64(most)))
        }
        let connected = FileSystem.names(in: "\(sys)/class/drm").filter { name in
            name.contains("-") && !["-eDP-", "-LVDS-", "-DSI-"].contains(where: name.contains)
                && word("\(sys)/class/drm/\(name)/status") == "connected"
        }
        return .screen(ScreenReading(brightness: screen.brightness, external: Int32(clamping: connected.count)))
    }
}
