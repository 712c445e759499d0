import Foundation
import Model
import PolicyCore
import Testing

@Suite("Traffic that was seen") struct TrafficTests {
    private static func device(_ network: NetworkKind) -> (device: TestDevice, app: AppIndex) {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.send(.conditionSensed(.network(network)))
        device.now = device.now + .seconds(100)
        return (device, app)
    }

    private static func see(_ device: TestDevice, _ app: AppIndex?) {
        device.send(
            .trafficSeen(
                app, .transfer, sent: 0, received: 1_000_000, from: device.now,
                to: device.now))
    }

    @Test("It costs what the radio in use does, for whose it was")
    func radios() {
        // LTE: 0.26 s × 1.21 W, 8 Mbit × 52 mJ/Mbit, 10 s × 1.06 W. Wi-Fi: 0.25 s × 0.403 W. A cable: nothing.
        let expected: [(NetworkKind, Double)] = [(.cellular, 11.3306), (.wifi, 0.10075), (.wired, 0), (.none, 0)]
        for (network, joules) in expected {
            let (device, app) = Self.device(network)
            Self.see(device, app)
            let account = device.system.energyAccount(at: device.now + .seconds(60))
            #expect(abs(account.total.joules - joules) < 1e-9, "\(network)")
            #expect(account.ledger.total(of: app, .transfer) == account.total)
        }
    }

    @Test(
        "A keep-alive costs the system a waking of the radio and its tails, and shares them with an app that moves data"
    )
    func keepAlives() {
        let (device, app) = Self.device(.cellular)
        func ping() {
            device.send(.trafficSeen(nil, .keepAlive, sent: 100, received: 100, from: device.now, to: device.now))
        }
        func account() -> EnergyAccount { device.system.energyAccount(at: device.now + .seconds(60)) }
        for _ in 0..<3 {
            ping()
            device.now = device.now + .seconds(240)
        }
        // LTE: 0.26 s × 1.21 W and 10 s × 1.06 W, three times, and the bytes: 0.8 kbit × 438 nJ and 52 nJ a bit.
        let alone = 3 * (0.3146 + 10.6 + 0.0003504 + 0.0000416)
        #expect(abs(account().ledger.total(of: nil, .keepAlive).joules - alone) < 1e-6)
        #expect(account().ledger.total(of: nil) == account().total && account().wakeups == 3)
        #expect(account().ledger.total(of: app) == .zero)
        // Within an app's tail it wakes no radio.
        Self.see(device, app)
        device.now = device.now + .seconds(2)
        ping()
        let more = account().ledger.total(of: nil, .keepAlive).joules - alone
        // Two seconds after the app's bytes the tail is 2 s longer, and 8 s of it are shared.
        #expect(more > 4 * 1.06 && more < 7 * 1.06, "\(more)")
        #expect(account().wakeups == 4)
    }

    @Test("What is planned by is the radio as it is: awake after traffic, none without a network")
    func state() {
        let (device, app) = Self.device(.cellular)
        #expect(device.system.radio(in: device.system.energyAccount(at: device.now)) == RadioState(.lte))
        Self.see(device, app)
        let awake = device.system.radio(in: device.system.energyAccount(at: device.now + .seconds(5)))
        #expect(awake.phase == .tail(0) && awake.isWarm)
        #expect(awake.warmFor > .seconds(5) && awake.warmFor < .seconds(6))
        let asleep = device.system.radio(in: device.system.energyAccount(at: device.now + .seconds(11)))
        #expect(asleep == RadioState(.lte))
        device.send(.conditionSensed(.network(.none)))
        #expect(device.system.radio(in: device.system.energyAccount(at: device.now)) == .noNetwork)
    }

    @Test("A report that comes late is charged to the network of its time")
    func late() {
        // The network changes after 100 seconds; the reports come 4 seconds later.
        func shares(_ reports: (received: Int64, from: Double, to: Double)...) -> [EnergyLedger.Entry] {
            let (device, app) = Self.device(.cellular)
            let change = device.now
            device.send(.conditionSensed(.network(.wifi)))
            device.now = change + .seconds(4)
            for (received, from, to) in reports {
                device.send(
                    .trafficSeen(
                        app, .transfer, sent: 0, received: received, from: change + .seconds(from),
                        to: change + .seconds(to)))
            }
            let account = device.system.energyAccount(at: device.now)
            #expect(account.received == reports.reduce(0) { $0 + $1.received })
            return account.ledger.entries
        }
        #expect(shares((1_000, from: -1, to: 0)).map(\.part) == [.cellular])
        #expect(shares((1_000, from: 0, to: 1)).map(\.part) == [.wifi])
        let both = shares((1_000_000, from: -1, to: 3))
        #expect(Set(both.map(\.part)) == [.cellular, .wifi])
        #expect(both == shares((250_000, from: -1, to: 0), (750_000, from: 0, to: 3)))
    }

    @Test("Without a network its radio is off at once, and a late report costs only its bytes")
    func lost() {
        let (device, app) = Self.device(.cellular)
        Self.see(device, app)
        device.now = device.now + .seconds(1)
        device.send(.conditionSensed(.network(.none)))
        let total = device.system.energyAccount(at: device.now).total
        // Ten seconds of tail would follow.
        #expect(device.system.energyAccount(at: device.now + .seconds(60)).total == total)
        let (from, to) = (device.now + .milliseconds(-500), device.now)
        device.now = device.now + .seconds(1)
        device.send(.trafficSeen(app, .transfer, sent: 0, received: 1_000_000, from: from, to: to))
        let bytes = RadioModel.lte.receivedByte * 1_000_000
        #expect(bytes > .zero)
        #expect(device.system.energyAccount(at: device.now).total - total == bytes)
        #expect(device.system.energyAccount(at: device.now + .seconds(60)).total - total == bytes)
    }

    @Test("An app that is uninstalled leaves what it spent to the system; reports of it count no more")
    func uninstalled() {
        let (device, app) = Self.device(.cellular)
        Self.see(device, app)
        device.perform(.uninstall(app))
        let before = device.system.energyAccount(at: device.now + .seconds(60))
        #expect(before.ledger.total(of: app) == .zero || before.ledger.total(of: nil) > .zero)
        Self.see(device, app)
        #expect(device.system.energyAccount(at: device.now + .seconds(60)).received == before.received)
    }

    @Test("The account is in the checkpoint; one from before there was any is read")
    func checkpoint() throws {
        let (device, app) = Self.device(.cellular)
        let json = try JSONEncoder().encode(device.system)
        #expect(!String(decoding: json, as: UTF8.self).contains("\"ledger\""))
        Self.see(device, app)
        let restored = try JSONDecoder().decode(System.self, from: JSONEncoder().encode(device.system))
        let later = device.now + .seconds(60)
        #expect(restored.energyAccount(at: later) == device.system.energyAccount(at: later))
        #expect(try JSONDecoder().decode(System.self, from: json).energyAccount(at: later).total == .zero)
    }
}
