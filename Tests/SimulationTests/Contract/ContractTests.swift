import ContractSuite
import Testing

@Suite("The simulated device")
struct SimulatedContractTests {
    /// Each draws other times for what the machine does.
    private static let seeds: ClosedRange<UInt64> = 1...40

    @Test("The simulated device keeps the contract", arguments: Contract.all)
    func holds(_ contract: Contract) {
        for seed in Self.seeds {
            let device = SimulatedContractDevice(contract.profile, seed: seed)
            do throws(Breach) {
                try contract.hold(on: device)
                try device.end()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test("No two contracts say the same")
    func sentences() {
        let sentences = Contract.all.map(\.sentence)
        #expect(sentences.count > 60)
        #expect(Set(sentences).count == sentences.count)
    }
}
