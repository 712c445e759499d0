internal import LocationModel

extension Fix {
    /// Metres: half the way around the earth.
    private static let longestWay = 20_037_508.0
    /// Metres above or below the sea: beyond all satellites.
    private static let highest = 100_000_000.0
    /// Metres a second: faster than anything that falls to the earth.
    private static let fastest = 100_000.0
    /// The end of the year 9999.
    static let latest = 253_402_300_800.0

    /// Without what cannot be, so that no sum of it overflows; `nil` where place or time cannot be. A source may say
    /// anything.
    var plausible: Fix? {
        guard coordinate.isValid, accuracy.isFinite, accuracy >= 0, time >= 0, time < Self.latest else { return nil }
        var fix = self
        fix.accuracy = min(accuracy, Self.longestWay)
        fix.altitude = altitude.flatMap { abs($0) <= Self.highest ? $0 : nil }
        fix.altitudeAccuracy = fix.altitude.flatMap { _ in Self.amount(altitudeAccuracy, Self.highest) }
        fix.speed = Self.amount(speed, Self.fastest)
        fix.speedAccuracy = fix.speed.flatMap { _ in Self.amount(speedAccuracy, Self.fastest) }
        fix.course = course?.asCourse
        fix.courseAccuracy = fix.course.flatMap { _ in Self.amount(courseAccuracy, 360) }
        return fix
    }

    private static func amount(_ value: Double?, _ most: Double) -> Double? {
        value?.asAmount.flatMap { $0 <= most ? $0 : nil }
    }
}
