import PushCore
import Testing

@Suite("A fleet in a model")
struct FleetModelTests {
    static let seeds: [UInt64] = Array(0..<400)

    private func run(_ seed: UInt64, _ faults: FleetModel.Faults, steps: Int = 600) -> FleetModel {
        let model = FleetModel(seed: seed, nodes: 3, faults: faults)
        var count = 0
        for _ in 0..<steps {
            switch Int.random(in: 0..<20, using: &model.random) {
            case 0, 1, 2:
                count += 1
                let collapse = model.chance(0.3) ? "c" : nil
                model.send(
                    "m\(count)", topic: "topic\(Int.random(in: 0..<3, using: &model.random))", collapse: collapse,
                    to: Int.random(in: 0..<3, using: &model.random))
            case 3: if model.chance(0.3) { model.connect(to: Int.random(in: 0..<3, using: &model.random)) }
            case 4: if model.chance(0.2) { model.link?.lost() }
            case 5, 6: model.link?.acknowledgeOne()
            case 7:
                if model.chance(model.faults.kills) { model.nodes[Int.random(in: 0..<3, using: &model.random)].kill() }
            case 8: if model.chance(0.2) { model.nodes[Int.random(in: 0..<3, using: &model.random)].tick() }
            default: _ = model.step()
            }
        }
        return finish(model)
    }

    /// The device comes back and takes everything.
    private func finish(_ model: FleetModel) -> FleetModel {
        model.settle()
        for _ in 0..<50 {
            if !(model.link?.isOpen ?? false) { model.connect(to: Int.random(in: 0..<3, using: &model.random)) }
            model.settle()
            for node in model.nodes { node.tick() }
            model.settle()
            while model.link?.hasUnacknowledged ?? false {
                model.link?.acknowledgeOne()
                model.settle()
            }
        }
        model.check()
        return model
    }

    @Test("While nothing fails, what is accepted is delivered once, whichever gateways are asked", arguments: seeds)
    func faultless(_ seed: UInt64) {
        let model = run(seed, FleetModel.Faults(oldReads: 0.2))
        #expect(model.problems == [])
        #expect(model.sent.values.allSatisfy { $0.outcome == .accepted })
        #expect(!model.received.isEmpty)
    }

    @Test("A store that loses writes and answers loses nothing that was accepted", arguments: seeds)
    func store(_ seed: UInt64) {
        let model = run(
            seed,
            FleetModel.Faults(lostWrites: 0.1, lateWrites: 0.1, oldReads: 0.2, failedReads: 0.1, lostAnswers: 0.1))
        #expect(model.problems == [])
        #expect(model.sent.values.allSatisfy { $0.outcome != nil })
    }

    @Test("Gateways that die and gateways that do not hear each other lose nothing that was accepted", arguments: seeds)
    func nodes(_ seed: UInt64) {
        let model = run(
            seed,
            FleetModel.Faults(
                lostWrites: 0.05, lateWrites: 0.05, oldReads: 0.2, failedReads: 0.05, lostAnswers: 0.05, kills: 0.3,
                unreachable: 0.2))
        #expect(model.problems == [])
        #expect(model.sent.values.contains { $0.outcome == .accepted })
    }
}
