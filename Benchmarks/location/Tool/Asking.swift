import Model
import PolicyCore

/// A service on the network that is asked every half a minute where the device is, as GeoClue asks one: some kilobytes
/// over the telephone's network, whose radio has to be awake for them.
enum Asking {
    /// Its energy as a part of that of satellites that are always received.
    static func share(seconds: Int) -> Double {
        var account = EnergyAccount(cellular: .lte)
        var satellites = EnergyAccount(cellular: .lte)
        satellites.setSatelliteUsers([Consumer(app: nil, .location)], at: .zero)
        for second in stride(from: 0, to: seconds, by: 30) {
            let from = Instant.zero + .seconds(Double(second))
            account.traffic(
                Consumer(app: nil, .location), over: .cellular, sent: 2000, received: 1000, from: from,
                to: from + .milliseconds(300))
        }
        let end = Instant.zero + .seconds(Double(max(seconds, 1)))
        account.settle(to: end)
        satellites.settle(to: end)
        return Double(account.ledger.total.picojoules) / Double(max(1, satellites.ledger.total.picojoules))
    }
}
