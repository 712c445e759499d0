import Model
import PolicyCore
import Testing

@Suite("Snapshots") struct SnapshotTests {
    private func device(provides: Bool) -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        if provides { #expect(device.request(app, .mechanism(.snapshots(.provide(true)))) == .noted) }
        return (device, app)
    }

    @Test("It is asked for when the app has left the screen, before the freeze is prepared, each time")
    func leaving() {
        let (device, app) = device(provides: true)
        for count in 1...3 {
            device.perform(.home(wait: true))
            #expect(device.snapshots == Array(repeating: app, count: count))
            #expect(device.system.app(app)?.state == .suspended)
            device.perform(.open(app, role: .primary, wait: true))
        }
        device.finish()
    }

    @Test("Who gives none is not asked, nor who gives none any more, nor its next process")
    func none() {
        let (device, app) = device(provides: false)
        device.perform(.home(wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        device.request(app, .mechanism(.snapshots(.provide(true))))
        device.request(app, .mechanism(.snapshots(.provide(false))))
        device.perform(.home(wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        device.request(app, .mechanism(.snapshots(.provide(true))))
        device.perform(.close(app, wait: true))
        device.snapshots = []
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        #expect(device.snapshots.isEmpty)
    }

    @Test("Anew in the background when the app has something else to show, and not on the screen")
    func refresh() {
        let (device, app) = device(provides: true)
        device.perform(.exempt(app, true))
        device.request(app, .mechanism(.snapshots(.refresh)))
        #expect(device.snapshots.isEmpty)
        device.perform(.home(wait: true))
        device.request(app, .mechanism(.snapshots(.refresh)))
        #expect(device.snapshots.count == 2)
    }
}
