import Foundation
import Model
import PolicyCore
import Testing

@Suite("The account of energy") struct EnergyAccountTests {
    static let a = Consumer(app: AppIndex(0), .fetch)
    static let b = Consumer(app: AppIndex(1), .keepAlive)

    static func millijoules(_ value: Int64) -> Energy { Energy(picojoules: value * 1_000_000_000) }
    static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    /// So tiny that its bytes take no time, and so large that it starts DCH anew.
    static func tiny(_ account: inout EnergyAccount, _ consumer: Consumer, at seconds: Double) {
        account.traffic(
            consumer, over: .cellular, sent: 0, received: 400, from: at(seconds), to: at(seconds))
    }

    @Test("One isolated tiny 3G transfer costs 9.5 J, ten scattered ones 95 J, ten together 9.5 J")
    func byHand() {
        var one = EnergyAccount(cellular: .threeG)
        Self.tiny(&one, Self.a, at: 1)
        one.settle(to: Self.at(100))
        // 2.0 s × 0.65 W + 4 s × 1.30 W + 10 s × 0.30 W
        #expect(one.total == Self.millijoules(9500) && one.wakeups == 1)
        #expect(one.ledger.total(of: AppIndex(0), .fetch) == Self.millijoules(9500))

        var scattered = EnergyAccount(cellular: .threeG)
        for number in 0..<10 { Self.tiny(&scattered, Self.a, at: Double(number) * 60) }
        scattered.settle(to: Self.at(1000))
        #expect(scattered.total == Self.millijoules(95_000) && scattered.wakeups == 10)

        var together = EnergyAccount(cellular: .threeG)
        for number in UInt32(0)..<10 { Self.tiny(&together, Consumer(app: AppIndex(number), .fetch), at: 5) }
        together.settle(to: Self.at(1000))
        #expect(together.total == Self.millijoules(9500) && together.wakeups == 1)
        for app in 0..<10 { #expect(together.ledger.total(of: AppIndex(UInt32(app))) == Self.millijoules(950)) }
    }

    @Test("What is shared goes to each as if it had been given a part, in whatever order they come")
    func shared() {
        var random = SplitMix64(seed: 4)
        var (together, apart) = (EnergyLedger(), EnergyLedger())
        for round in 0..<400 {
            var consumers = (0..<random.below(12)).map { _ in
                Consumer(
                    app: random.oneIn(9) ? nil : AppIndex(UInt32(random.below(30))), random.oneIn(2) ? .use : .fetch)
            }
            if !random.oneIn(5) { consumers.sort() }
            let energy = Energy(picojoules: Int64(random.below(random.oneIn(3) ? 8 : 1_000_000)))
            let part: EnergyPart = random.oneIn(2) ? .wifi : .cellular
            together.add(energy, sharedBy: consumers, by: part)
            if consumers.isEmpty { apart.add(energy, to: .system, by: part) }
            for (number, consumer) in consumers.enumerated() {
                apart.add(energy.part(number, of: consumers.count), to: consumer, by: part)
            }
            if random.oneIn(50) {
                together.forget(AppIndex(3))
                apart.forget(AppIndex(3))
            }
            #expect(together == apart, "round \(round)")
        }
    }

    @Test("Who wakes the radio pays for that; who comes later pays a share of the tails from then on")
    func sharing() {
        var account = EnergyAccount(cellular: .threeG)
        Self.tiny(&account, Self.a, at: 0)
        Self.tiny(&account, Self.b, at: 4)
        account.settle(to: Self.at(100))
        // Up 1.3 J and 2 s of DCH 2.6 J for a alone; until a would have gone to sleep at 16 s, half of 4 s of DCH and
        // of 8 s of FACH each; the last 2 s of FACH are for b.
        #expect(account.ledger.total(of: AppIndex(0)) == Self.millijoules(1300 + 2600 + 2600 + 1200))
        #expect(account.ledger.total(of: AppIndex(1)) == Self.millijoules(2600 + 1200 + 600))
        #expect(account.total == Self.millijoules(1300 + 2600 + 5200 + 2400 + 600))
    }

    @Test("3 MB at once cost less than a third of 3 MB in a piece every 30 s")
    func bulk() {
        // 125 kB a second: up 1.3 J, 24 s of DCH, and the tails.
        var bulk = EnergyAccount(cellular: .threeG)
        bulk.traffic(Self.a, over: .cellular, sent: 0, received: 3_000_000, from: .zero, to: Self.at(24))
        bulk.settle(to: Self.at(1000))
        #expect(bulk.total == Self.millijoules(1300 + 31_200 + 5200 + 3000))

        // Ten pieces of 2.4 s each; in between, the radio falls asleep.
        var trickle = EnergyAccount(cellular: .threeG)
        for piece in 0..<10 {
            let from = Instant.zero + .milliseconds(Int64(piece) * 30_000)
            trickle.traffic(
                Self.a, over: .cellular, sent: 0, received: 300_000, from: from, to: from + .milliseconds(2400))
        }
        trickle.settle(to: Self.at(1000))
        #expect(trickle.total == Self.millijoules(10 * (1300 + 3120 + 5200 + 3000)))
        #expect(bulk.total * 3 < trickle.total)
        #expect(bulk.received == trickle.received)
    }

    @Test("An hour of GPS costs 1008 J, shared by its users; cell positioning costs nothing more")
    func positioning() {
        var account = EnergyAccount()
        let (a, b) = (Consumer(app: AppIndex(0), .location), Consumer(app: AppIndex(1), .location))
        account.setSatelliteUsers([a], at: .zero)
        account.setSatelliteUsers([b, a], at: Self.at(1800))
        account.setSatelliteUsers([], at: Self.at(3600))
        account.settle(to: Self.at(7200))
        #expect(account.ledger.total(of: EnergyPart.gps) == .joules(1008))
        #expect(account.ledger.total(of: AppIndex(0), .location) == .joules(756))
        #expect(account.ledger.total(of: AppIndex(1), .location) == .joules(252))
        #expect(Positioning.satellite.power == .milliwatts(280) && Positioning.cell.power == .zero)
    }

    @Test("Keep-alives so small that they leave the DCH timer alone still cost")
    func keepAlives() {
        var account = EnergyAccount(cellular: .threeG)
        for minute in 0..<60 {
            account.traffic(
                Self.b, over: .cellular, sent: 40, received: 40, from: Self.at(Double(minute) * 60),
                to: Self.at(Double(minute) * 60))
        }
        account.settle(to: Self.at(7200))
        #expect(account.ledger.total(of: AppIndex(1), .keepAlive) == Self.millijoules(60 * 9500))
    }

    @Test("Whatever is reported, the shares add up to the whole, and the whole to what a plain radio spends")
    func sums() {
        for seed in 1...40 {
            var random = Random(seed: UInt64(seed))
            let model: RadioModel = [.threeG, .lte][seed % 2]
            var account = EnergyAccount(cellular: model)
            var plain = RadioTimeline(model)
            var now = Instant.zero
            for _ in 0..<60 {
                now = now + .milliseconds(Int64(random.below(300)) * 100)
                let length = Span.milliseconds(Int64(random.below(50)) * 100)
                // More than small traffic, also when it takes its time.
                let (sent, received) = (Int64(random.below(9000)), Int64(20_000 + random.below(90_000)))
                account.traffic(
                    Consumer(app: AppIndex(UInt32(random.below(5))), .transfer), over: .cellular, sent: sent,
                    received: received, from: now, to: now + length)
                plain.add(RadioTransfer(at: now, lasts: length, sent: sent, received: received))
                // No two at once: what they share of the line is not the account's affair.
                now = now + length + .milliseconds(2100)
            }
            account.settle(to: now + .seconds(100))
            let shares = account.ledger.entries.reduce(Energy.zero) { $0 + $1.energy }
            #expect(shares == account.total)
            #expect(account.total == plain.energy, "seed \(seed)")
        }
    }

    @Test("An app that is gone leaves its joules to the system, and the sum as it is")
    func forgetting() {
        var account = EnergyAccount(cellular: .threeG)
        Self.tiny(&account, Self.a, at: 0)
        account.settle(to: Self.at(50))
        account.forget(AppIndex(0))
        #expect(account.ledger.total(of: AppIndex(0)) == .zero)
        #expect(account.ledger.total(of: nil, .fetch) == Self.millijoules(9500))
        #expect(account.total == Self.millijoules(9500))
    }

    @Test("Lost networks end what flowed; written down and read again it goes on the same")
    func lossAndCoding() throws {
        var account = EnergyAccount(cellular: .threeG)
        account.traffic(Self.a, over: .cellular, sent: 0, received: 90_000, from: .zero, to: Self.at(10))
        account.settle(to: Self.at(5))
        #expect(account.state(of: .cellular).phase == .high)
        var copy = try JSONDecoder().decode(EnergyAccount.self, from: JSONEncoder().encode(account))
        #expect(copy == account)
        copy.settle(to: Self.at(100))
        account.networkLost(.cellular, at: Self.at(5))
        account.settle(to: Self.at(100))
        // Up 1.3 J, and 3 s of data.
        #expect(account.total == Self.millijoules(1300 + 3900))
        #expect(copy.total == Self.millijoules(1300 + 13_000 + 5200 + 3000))
        #expect(account.state(of: .cellular) == RadioState(.threeG))
    }

    /// A generator of its own, so that a seed means the same everywhere.
    private struct Random {
        var state: UInt64
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
    }
}
