import ContractSuite
import Testing

extension SystemTests {
    @Suite("The contract", .serialized) struct KeepingTheContract {
        @Test(
            "The real system keeps the contract",
            .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"),
            arguments: Machine.part(of: Contract.all))
        func holds(_ contract: Contract) throws {
            let device = try RealContractDevice(contract.profile)
            do throws(Breach) {
                try contract.hold(on: device)
            } catch {
                Issue.record("\(error)")
            }
            device.end()
        }
    }
}
