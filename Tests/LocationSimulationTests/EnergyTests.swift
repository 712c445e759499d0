import LocationSimulation
import Model
import PolicyCore
import ServiceCore
import Simulation
import Testing

@Suite("Energy of location in virtual time")
struct EnergyTests {
    @Test("The app that uses satellites is charged for them as location")
    func energy() throws {
        let identifier = try #require(AppIdentifier("org.example.navigator"))
        var script = AppScript(
            name: "navigator",
            manifest: AppManifest(
                identifier: identifier, name: "navigator", backgroundModes: BackgroundModes(keys: ["location"])))
        script.reactions[.didFinishLaunching] = [
            .ask("location", "ask in use"), .ask("location", "updates background keep"),
        ]
        let device = Device(.linux, seed: 3)
        device.declare(
            [ServiceScript(model: "location")], ServiceModels(["location": SimulatedLocation.self]))
        device.install(script)
        device.boot()
        device.perform(.unlock)
        device.perform(.open("navigator", role: .primary))
        device.advance(by: .seconds(5))
        device.perform(.home)
        device.advance(by: .seconds(5))
        let place = try #require(device.place(named: "navigator"))
        let app = try #require(device.apps[place].index)
        #expect(device.state(place) == .background)
        #expect(device.system.app(app)?.priority == .background)
        func spent() -> Double {
            device.system.energyAccount(at: device.now).ledger.total(of: app, .location).joules
        }
        let before = spent()
        device.advance(by: .seconds(1000))
        #expect(abs(spent() - before - 280) < 1, "\(spent() - before)")
        device.perform(.close("navigator"))
        device.advance(by: .seconds(10))
        let after = spent()
        device.advance(by: .seconds(1000))
        #expect(spent() == after)
        #expect(device.violations == [])
    }
}
