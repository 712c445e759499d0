internal import AudioSimulation
internal import LocationSimulation
internal import NotificationsSimulation
internal import Simulation
internal import TransferSimulation

// Registration: services whose logic runs in virtual time, by the names of their folders.
extension ServiceModels {
    static let all = ServiceModels([
        "audio": SimulatedAudio.self, "location": SimulatedLocation.self, "notifications": SimulatedNotifications.self,
        "transfers": SimulatedTransfers.self,
    ])
}
