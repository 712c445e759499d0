internal import Model
internal import Simulation

// What people and other machines say to a service of the device.
extension TestDevice {
    /// Says it, and returns when the device has come to rest.
    func tell(_ service: any FrameworkService.Type, _ words: String) async throws(TestDeviceError) {
        if let wrong = service.model.misunderstandingFromOutside(of: words) { throw .refused(wrong) }
        try await start(service)
        try await perform(.tellService(service.name, words))
    }

    /// The real one runs when something is wanted of it.
    private func start(_ service: any FrameworkService.Type) async throws(TestDeviceError) {
        guard simulated.wakeService(service.name) else { return }
        try await advance(by: .milliseconds(500))
    }

    /// As the system knows it.
    func identifier(_ app: InstalledApp) -> String { simulated.apps[app.place].script.manifest.identifier.rawValue }
}
