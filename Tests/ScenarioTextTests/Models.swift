import NotificationsSimulation
import Simulation
import TransferSimulation

/// As the tool has them.
let models = ServiceModels([
    "notifications": SimulatedNotifications.self, "transfers": SimulatedTransfers.self,
])
