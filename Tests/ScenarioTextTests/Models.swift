import Simulation
import TransferSimulation

/// As the tool has them.
let models = ServiceModels(["transfers": SimulatedTransfers.self])
