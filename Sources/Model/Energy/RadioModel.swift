/// What a radio costs, as data: the timers belong to the network, the powers to the device (FACTS, "Radio energy").
package struct RadioModel: Hashable, Sendable, Codable {
    /// On the way to where data can flow.
    package struct Promotion: Hashable, Sendable, Codable {
        package var lasts: Span
        package var power: Power

        package init(lasts: Span, power: Power) {
            self.lasts = lasts
            self.power = power
        }
    }

    /// A state in which the radio lingers after data has flowed.
    package struct Tail: Hashable, Sendable, Codable {
        package var name: String
        package var lasts: Span
        package var power: Power
        /// What it takes until data can flow again; `nil`: it can at once.
        package var promotion: Promotion?

        package init(name: String, lasts: Span, power: Power, promotion: Promotion? = nil) {
            self.name = name
            self.lasts = lasts
            self.power = power
            self.promotion = promotion
        }
    }

    /// So few bytes in so short a time do not start the first tail anew.
    package struct SmallTraffic: Hashable, Sendable, Codable {
        package var bytes: Int64
        package var window: Span

        package init(bytes: Int64, window: Span) {
            self.bytes = bytes
            self.window = window
        }
    }

    package var name: String
    /// From idle; `nil`: data can flow at once.
    package var promotion: Promotion?
    /// While data flows.
    package var power: Power
    /// What each byte costs besides: a power for each Mbit/s comes to an energy for each byte, whatever the rate.
    package var sentByte: Energy
    package var receivedByte: Energy
    /// One after the other, the last before idle.
    package var tails: [Tail]
    package var smallTraffic: SmallTraffic?

    package init(
        name: String, promotion: Promotion?, power: Power, sentByte: Energy = .zero, receivedByte: Energy = .zero,
        tails: [Tail], smallTraffic: SmallTraffic? = nil
    ) {
        self.name = name
        self.promotion = promotion
        self.power = power
        self.sentByte = sentByte
        self.receivedByte = receivedByte
        self.tails = tails
        self.smallTraffic = smallTraffic
    }
}

extension RadioModel {
    package static let all: [RadioModel] = [.threeG, .lte, .wifi]

    package static func named(_ name: String) -> RadioModel? { all.first { $0.name == name } }

    /// From idle to DCH, where data flows; then DCH goes on, then FACH.
    package static let threeG = RadioModel(
        name: "3g", promotion: Promotion(lasts: .milliseconds(2000), power: .milliwatts(650)),
        power: .milliwatts(1300),
        tails: [
            Tail(name: "DCH", lasts: .milliseconds(4000), power: .milliwatts(1300)),
            Tail(
                name: "FACH", lasts: .milliseconds(10_000), power: .milliwatts(300),
                promotion: Promotion(lasts: .milliseconds(1500), power: .milliwatts(800))),
        ],
        smallTraffic: SmallTraffic(bytes: 320, window: .milliseconds(300)))

    /// 438 mW for each Mbit/s up are 438 nJ a bit, 52 mW down 52 nJ.
    package static let lte = RadioModel(
        name: "lte", promotion: Promotion(lasts: .milliseconds(260), power: .milliwatts(1210)),
        power: .milliwatts(1200), sentByte: Energy(picojoules: 438_000 * 8),
        receivedByte: Energy(picojoules: 52_000 * 8),
        tails: [Tail(name: "DRX", lasts: .milliseconds(10_000), power: .milliwatts(1060))])

    package static let wifi = RadioModel(
        name: "wifi", promotion: nil, power: .milliwatts(403),
        tails: [Tail(name: "awake", lasts: .milliseconds(250), power: .milliwatts(403))])

    /// A cable, which costs nothing that is counted.
    package static let wired = RadioModel(name: "wired", promotion: nil, power: .zero, tails: [])

    /// From the last byte to idle.
    package var tailLength: Span { tails.reduce(.zero) { $0 + $1.lasts } }
}
