import AudioSimulation
import LocationSimulation
import NotificationsSimulation
import Simulation
import TransferSimulation

/// As the tool has them.
let models = ServiceModels([
    "audio": SimulatedAudio.self, "location": SimulatedLocation.self, "notifications": SimulatedNotifications.self,
    "transfers": SimulatedTransfers.self,
])
