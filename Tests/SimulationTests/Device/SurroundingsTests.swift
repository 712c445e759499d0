import Model
import PolicyCore
import Simulation
import Testing

@Suite("What apps use of a device")
struct SurroundingsTests {
    private func device(_ script: AppScript) -> Device {
        let device = Device(.linux, seed: 3)
        device.install(script)
        device.boot()
        return device
    }

    @Test("A suspended app's download stands still, and goes on when the app does")
    func transfers() throws {
        var script = try AppScript.test("loader")
        // At 125 kB a second: 80 s.
        script.reactions[.didBecomeActive] = [.transfer(bytes: 10_000_000)]
        let device = device(script)
        device.open("loader")
        device.advance(by: .seconds(20))
        device.finish(.home)
        device.advance(by: .seconds(1))
        let moved = device.world.movedBytes
        #expect(moved > 1_000_000 && moved < 4_000_000)
        device.advance(by: .seconds(1000))
        #expect(device.world.movedBytes == moved)
        device.open("loader")
        device.advance(by: .seconds(100))
        #expect(device.world.movedBytes == 10_000_000 || device.world.movedBytes > 2 * moved)
    }

    @Test("With a dead network nothing moves")
    func deadNetwork() throws {
        var script = try AppScript.test("loader")
        script.reactions[.didBecomeActive] = [.transfer(bytes: 1_000_000)]
        let device = device(script)
        device.inject(.networkDown(true))
        device.open("loader")
        device.advance(by: .seconds(60))
        #expect(device.world.movedBytes == 0)
        device.inject(.networkDown(false))
        device.advance(by: .seconds(60))
        #expect(device.world.movedBytes == 1_000_000)
    }

    @Test("An app has its memory while its process is")
    func memory() throws {
        var script = try AppScript.test("big")
        script.reactions[.didBecomeActive] = [.allocate(bytes: 5_000_000)]
        let device = device(script)
        #expect(device.world.usedMemory == 0)
        device.open("big")
        // A few megabytes at a time.
        device.advance(by: .milliseconds(100))
        #expect(device.world.usedMemory == 35_000_000)
        device.inject(.crash("big", signal: 11))
        device.advance(by: .seconds(1))
        #expect(device.world.usedMemory == 0)
    }
}

@Suite("What the Core knows of the energy that apps spend")
struct SeenEnergyTests {
    @Test("What it accounts for comes to what the device spent on the radio, and goes to whose it was")
    func account() throws {
        var script = try AppScript.test("loader")
        script.reactions[.didBecomeActive] = [.transfer(bytes: 1_250_000)]
        let other = try AppScript.test("other")
        let device = Device(.iPhone4, seed: 3)
        device.install(script)
        device.install(other)
        device.boot()
        _ = device.perform(.network(.cellular))
        device.advance(by: .seconds(5))
        device.open("loader")
        device.advance(by: .seconds(60))
        let account = device.system.energyAccount(at: device.now)
        // Ten seconds of data over 3G, from idle to idle: 1.3 + 13 + 5.2 + 3 J.
        let spent = device.world.energy.total(of: EnergyPart.cellular).joules
        #expect(abs(spent - 22.65) < 0.5, "\(spent)")
        #expect(abs(account.total.joules - spent) < 2, "\(account.total.joules)")
        #expect(account.received == 1_250_000)
        let loader = try #require(
            device.system.installedApps.first { $0.manifest.identifier.rawValue == "org.example.loader" }?.index)
        #expect(account.ledger.total(of: loader) == account.total)
        #expect(device.system.radio(in: account).phase == .idle)
        #expect(device.violations.isEmpty)
    }

    @Test("Bytes go to what the app was doing: on screen it browses, in a fetch it fetches, whose cost is then known")
    func activities() throws {
        var script = try AppScript.test("loader")
        script.manifest.backgroundModes = .fetch
        script.reactions[.didBecomeActive] = [.transfer(bytes: 100_000)]
        script.reactions[.performFetch] = [.transfer(bytes: 50_000), .after(.seconds(5), .complete(.fetch, .newData))]
        let device = Device(.iOS7, seed: 3)
        device.install(script)
        device.boot()
        _ = device.perform(.network(.wifi))
        device.advance(by: .seconds(5))
        device.open("loader")
        device.advance(by: .seconds(10))
        _ = device.perform(.home)
        device.advance(by: .seconds(10))
        _ = device.perform(.fetch("loader", launches: false))
        device.advance(by: .seconds(20))
        let app = try #require(device.system.installedApps.first?.index)
        let entries = device.system.trafficTally.entries
        #expect(entries.map(\.consumer) == [Consumer(app: app, .browsing), Consumer(app: app, .fetch)])
        #expect(entries.map(\.received) == [100_000, 50_000])
        let decision = try #require(device.system.fetch.planner.decisions(app).last)
        #expect(decision.moved == FetchBytes(sent: 0, received: 50_000))
        #expect(decision.cost == FetchBytes(sent: 0, received: 50_000).cost(.wifi))
        #expect(device.violations.isEmpty)
    }

    @Test("Processor time of a fetch is on the account, in its own process and in one that ends within it")
    func processor() throws {
        var script = try AppScript.test("loader")
        script.manifest.backgroundModes = .fetch
        script.reactions[.didBecomeActive] = [.work(.seconds(7))]
        script.reactions[.performFetch] = [.work(.seconds(3)), .after(.seconds(5), .complete(.fetch, .newData))]
        let device = Device(.iOS7, seed: 3)
        device.install(script)
        device.boot()
        device.open("loader")
        device.advance(by: .seconds(10))
        _ = device.perform(.home)
        device.advance(by: .seconds(10))
        let app = try #require(device.system.installedApps.first?.index)
        func joules() -> Double {
            device.system.energyAccount(at: device.now).ledger.total(of: app, by: .processor).joules
        }
        #expect(joules() == 0)
        _ = device.perform(.fetch("loader", launches: false))
        device.advance(by: .seconds(20))
        #expect(abs(joules() - 1.5) < 0.02, "\(joules())")
        // It crashes after two seconds of work.
        _ = device.perform(.fetch("loader", launches: false))
        device.advance(by: .seconds(2))
        device.inject(.crash("loader", signal: 11))
        device.advance(by: .seconds(5))
        #expect(abs(joules() - 2.5) < 0.1, "\(joules())")
        #expect(device.violations.isEmpty)
    }
}
