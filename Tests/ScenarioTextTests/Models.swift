import AudioSimulation
import NotificationsSimulation
import Simulation
import TransferSimulation

/// As the tool has them.
let models = ServiceModels([
    "audio": SimulatedAudio.self, "notifications": SimulatedNotifications.self, "transfers": SimulatedTransfers.self,
])
