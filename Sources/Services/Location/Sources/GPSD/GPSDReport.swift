package import LocationModel
internal import Wire

/// A line of gpsd's protocol, as far as it matters here.
package enum GPSDReport: Hashable, Sendable {
    case version(String)
    /// All the receivers that gpsd has.
    case devices(Set<String>)
    case device(String, isActive: Bool)
    case fix(Fix, device: String?)
    /// The receiver does not say of which time it is: that of the fix is 0.
    case untimedFix(Fix, device: String?)
    /// A receiver works and does not know yet where it is.
    case noFix(device: String?)
    case error(String)

    /// `nil` for what is rubbish, or of no interest.
    package init?(_ line: [UInt8]) {
        guard let value = try? JSONValue(parsing: line), let kind = value["class"]?.string else { return nil }
        switch kind {
        case "VERSION": self = .version(Self.short(value["release"]?.string) ?? "unknown")
        case "DEVICES":
            let active = (value["devices"]?.array ?? []).prefix(Self.mostDevices).filter(Self.isActive)
            self = .devices(Set(active.compactMap { Self.short($0["path"]?.string) }))
        case "DEVICE":
            guard let path = Self.short(value["path"]?.string) else { return nil }
            self = .device(path, isActive: Self.isActive(value))
        case "TPV":
            let device = Self.short(value["device"]?.string)
            guard (value["mode"]?.int ?? 0) >= 2 else {
                self = .noFix(device: device)
                return
            }
            guard let fix = Self.fix(value) else { return nil }
            self = fix.time > 0 ? .fix(fix, device: device) : .untimedFix(fix, device: device)
        case "ERROR": self = .error(Self.short(value["message"]?.string) ?? "no reason given")
        default: return nil
        }
    }

    package static let mostDevices = 64

    /// gpsd says 0 when it has let go of a device, and otherwise since when it has it: a text, or a number if old.
    private static func isActive(_ device: JSONValue) -> Bool { device["activated"]?.number != 0 }

    private static func short(_ text: String?) -> String? { text.map { String($0.prefix(200)) } }

    /// Metres, where gpsd gives no estimate: what a receiver without corrections reaches, and what one reaches that
    /// sees three satellites and guesses the altitude.
    static func estimate(mode: Int) -> Double { mode >= 3 ? 15 : 50 }

    private static func fix(_ value: JSONValue) -> Fix? {
        func number(_ key: String) -> Double? { value[key]?.number.flatMap { $0.isFinite ? $0 : nil } }
        func amount(_ key: String) -> Double? { number(key)?.asAmount }
        guard let latitude = number("lat"), let longitude = number("lon"), let mode = value["mode"]?.int else {
            return nil
        }
        let time = time(value["time"]) ?? 0
        var accuracy = amount("eph")
        if let x = amount("epx"), let y = amount("epy") { accuracy = accuracy ?? (x * x + y * y).squareRoot() }
        var fix = Fix(
            Coordinate(latitude, longitude), accuracy: accuracy ?? estimate(mode: mode), time: time, source: .gps)
        if mode >= 3 {
            // `alt` is what gpsd said before 3.20. It does not tell above what, and was mostly above the sea.
            fix.altitude = number("altMSL") ?? number("alt")
            if let ellipsoid = number("altHAE"), let geoid = number("geoidSep") {
                fix.altitude = fix.altitude ?? ellipsoid - geoid
            }
            fix.altitudeAccuracy = number("epv")
        }
        fix.speed = number("speed")
        fix.speedAccuracy = number("eps")
        fix.course = number("track")
        fix.courseAccuracy = number("epd")
        return fix.plausible
    }

    /// A text, or seconds since 1970 if gpsd is old. `nil` for what cannot be.
    private static func time(_ value: JSONValue?) -> Double? {
        let seconds = value?.string.flatMap { Timestamp.seconds($0) } ?? value?.number
        return seconds.flatMap { $0 > 0 && $0 < Fix.latest ? $0 : nil }
    }
}
