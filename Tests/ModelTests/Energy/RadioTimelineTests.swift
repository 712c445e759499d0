import Model
import Testing

@Suite("A radio over time") struct RadioTimelineTests {
    private static func tiny(at seconds: Double) -> RadioTransfer {
        RadioTransfer(at: Instant.zero + .seconds(seconds), lasts: .zero, received: 100)
    }

    private static func millijoules(_ value: Int64) -> Energy { Energy(picojoules: value * 1_000_000_000) }

    @Test("An isolated tiny 3G transfer costs 9.5 J, ten scattered ones 95 J, ten together 9.5 J")
    func byHand() {
        // 2.0 s × 0.65 W + 4 s × 1.30 W + 10 s × 0.30 W
        #expect(RadioModel.threeG.energy(of: [Self.tiny(at: 5)]) == Self.millijoules(9500))
        let scattered = (0..<10).map { Self.tiny(at: Double($0) * 60) }
        #expect(RadioModel.threeG.energy(of: scattered) == Self.millijoules(95_000))
        let together = (0..<10).map { _ in Self.tiny(at: 5) }
        #expect(RadioModel.threeG.energy(of: together) == Self.millijoules(9500))
    }

    @Test("LTE and Wi-Fi cost what their models say, each byte included")
    func others() {
        // 0.26 s × 1.21 W + 1 s × 1.2 W + 8 Mbit × 52 mJ/Mbit + 10 s × 1.06 W
        let lte = RadioTransfer(at: .zero, lasts: .seconds(1), received: 1_000_000)
        #expect(
            RadioModel.lte.energy(of: [lte])
                == Energy(
                    picojoules: 314_600_000_000 + 1_200_000_000_000
                        + 416_000_000_000 + 10_600_000_000_000))
        // 1.25 s × 0.403 W
        let wifi = RadioTransfer(at: .zero, lasts: .seconds(1), received: 1_000_000)
        #expect(RadioModel.wifi.energy(of: [wifi]) == Energy(picojoules: 503_750_000_000))
    }

    @Test("It goes up, carries, lingers and sleeps; a transfer in FACH is promoted anew, one in DCH is not")
    func phases() {
        var radio = RadioTimeline(.threeG)
        func phase(_ seconds: Double) -> RadioPhase { radio.phase(at: .zero + .seconds(seconds)) }
        #expect(phase(0) == .idle && radio.idleFrom == nil)
        #expect(radio.add(RadioTransfer(at: .zero, lasts: .seconds(1))) == .zero + .seconds(3))
        #expect(phase(1.9) == .promoting(fromTail: nil))
        #expect(phase(2) == .high && phase(2.9) == .high)
        #expect(phase(3) == .tail(0) && phase(6.9) == .tail(0))
        #expect(phase(7) == .tail(1) && phase(16.9) == .tail(1))
        #expect(phase(17) == .idle && !radio.isWarm(at: .zero + .seconds(17)))
        #expect(radio.add(RadioTransfer(at: .zero + .seconds(5), lasts: .zero)) == .zero + .seconds(5))
        #expect(radio.idleFrom == .zero + .seconds(19))
        #expect(radio.add(RadioTransfer(at: .zero + .seconds(10), lasts: .zero)) == .zero + .seconds(11.5))
        #expect(phase(10) == .promoting(fromTail: 1))
        // Up 1.3 J, 1 s of data 1.3 J, 2 + 4 s DCH 7.8 J, 1 s FACH 0.3 J, up 1.2 J, and all tails.
        #expect(radio.energy == Self.millijoules(1300 + 1300 + 7800 + 300 + 1200 + 5200 + 3000))
    }

    @Test(
        "What one more transfer adds is the difference that it makes, at every moment and in every phase",
        arguments: [RadioModel.threeG, .lte, .wifi])
    func marginal(_ model: RadioModel) {
        for tenths in 0..<250 {
            var radio = RadioTimeline(model)
            radio.add(RadioTransfer(at: .zero, lasts: .seconds(1.5), sent: 10))
            let at = Instant.zero + .milliseconds(Int64(tenths) * 100)
            let state = RadioState(radio, at: at)
            let more = RadioTransfer(at: at, lasts: .milliseconds(700), sent: 3000, received: 50_000)
            let without = radio.energy
            var with = radio
            with.add(more)
            #expect(with.energy - without == radio.marginalCost(of: more))
            switch state.phase {
            case .idle, .tail:
                #expect(state.marginalCost(lasting: more.lasts, sent: 3000, received: 50_000) == with.energy - without)
            // It is not known for how long data flows anyway: its own power and bytes count in full.
            case .promoting, .high:
                let own = model.power * more.lasts + model.sentByte * 3000 + model.receivedByte * 50_000
                #expect(state.marginalCost(lasting: more.lasts, sent: 3000, received: 50_000) == own)
            }
        }
    }
}
