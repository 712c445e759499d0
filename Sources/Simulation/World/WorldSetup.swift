package import Model
internal import PolicyCore

/// What a world is made of. The default is a phone of 2010 in a town, at rest and charged.
package struct WorldSetup: Hashable, Sendable, Codable {
    package var cellular = RadioModel.threeG
    package var cellularLink = Link.threeG
    package var wifi = RadioModel.wifi
    package var wifiLink = Link.wifi
    /// Whether the radios are there and on.
    package var hasCellular = true
    package var hasWiFi = true
    /// `nil`: it follows from where the device is.
    package var reachability: Reachability?

    /// 5.25 Wh, what Apple states for the iPhone 4.
    package var batteryCapacity = Energy.joules(18_900)
    package var batteryPercent = 100
    package var powers = Powers()

    package var towers = Towers.grid(side: 1500)
    package var places: [Place] = []
    package var route = Route.resting(at: .zero)

    /// For apps, in bytes.
    package var memory: Int64 = 512 << 20
    package var memoryMarks: [Int64] = []
    package var cores: Int64 = 1

    package init() {}
}

/// What the parts of the device draw, besides the radios.
package struct Powers: Hashable, Sendable, Codable {
    /// FACTS, "Radio energy".
    package var satellite = Positioning.satellite.power
    // Not from a measurement of ours. Idle is what empties 5.25 Wh in the 300 hours of standby that Apple states for
    // the iPhone 4; screen is of the order that was measured on phones of those years.
    package var idle = Power.milliwatts(17)
    package var screen = Power.milliwatts(400)
    package var core = Power.core

    package init() {}
}
