import Foundation
import Model
import Simulation
import Testing
import TransferSimulation

@Suite("Transfers in virtual time")
struct SimulatedTransferTests {
    private func device() -> (Device, Int) {
        let device = Device(.linux)
        var script = AppScript(name: "photos", manifest: AppManifest(identifier: journal, name: "photos"))
        script.reactions[.handleEventsForBackgroundURLSession] = [.ask("transfers", "open camera")]
        script.hears["events done camera"] = [.complete(.sessionEvents, .done)]
        let models = ServiceModels(["transfers": SimulatedTransfers.self])
        device.declare([ServiceScript(model: "transfers")], models)
        let place = device.install(script)
        device.boot()
        device.perform(.network(.wifi))
        return (device, place)
    }

    private func begin(_ words: String, _ device: Device) {
        device.perform(.open("photos", role: .primary))
        device.advance(by: .seconds(1))
        device.perform(.app("photos", .ask("transfers", words)))
        device.advance(by: .seconds(1))
        device.perform(.home)
    }

    @Test("A thing takes as long as the network needs, and its app sleeps meanwhile")
    func line() {
        let (device, place) = device()
        begin("download 100MB in camera", device)
        // The simulated Wi-Fi carries 2.5 MB a second.
        device.advance(by: .seconds(37))
        #expect(device.state(place) == .suspended && device.apps[place].heard.isEmpty)
        #expect(device.world.movedBytes > 90_000_000)
        device.advance(by: .seconds(10))
        #expect(device.apps[place].heard == ["finished camera", "completed camera", "events done camera"])
        #expect(device.state(place) == .suspended && device.violations.isEmpty)
    }

    @Test("Whenever the service dies, nothing that was acknowledged is lost, and what has arrived is not fetched again")
    func deaths() {
        var wasLate = false
        for moment in 0..<40 {
            let (device, place) = device()
            begin("download 20MB in camera", device)
            device.advance(by: .milliseconds(Int64(moment) * 300))
            device.inject(.killService("transfers"))
            device.advance(by: .seconds(60))
            #expect(device.violations.map(\.text) == [], "killed after \(moment * 300) ms")
            #expect(
                device.apps[place].heard.filter { $0 == "completed camera" }.count == 1,
                "killed after \(moment * 300) ms: \(device.apps[place].heard)")
            // Two seconds of the line at most: the last report of how far it is may be a second old.
            #expect(device.world.movedBytes < 25_000_000, "killed after \(moment * 300) ms")
            wasLate = wasLate || device.world.movedBytes > 20_000_000
        }
        #expect(wasLate, "no death ever cost a byte: was there one?")
    }

    @Test("An app that stays on screen opens its sessions again when the service has died, and hears of the end")
    func onScreen() {
        let (device, place) = device()
        device.perform(.open("photos", role: .primary))
        device.advance(by: .seconds(1))
        device.perform(.app("photos", .ask("transfers", "download 20MB in camera")))
        device.advance(by: .seconds(2))
        device.inject(.killService("transfers"))
        device.advance(by: .seconds(60))
        #expect(device.apps[place].heard.contains("completed camera"), "\(device.apps[place].heard)")
        #expect(device.violations.isEmpty)
    }

    @Test("With the daemon it goes on alone, and tells the next one")
    func daemon() {
        let (device, place) = device()
        begin("download 20MB in camera", device)
        device.advance(by: .seconds(2))
        device.inject(.killDaemon(downFor: .seconds(30)))
        device.advance(by: .seconds(20))
        #expect(device.world.movedBytes == 20_000_000 && device.apps[place].heard.isEmpty)
        device.advance(by: .seconds(30))
        #expect(device.apps[place].heard == ["finished camera", "completed camera", "events done camera"])
        #expect(device.violations.isEmpty)
    }

    @Test("An app that the user closes loses its transfers today, and in 2013 keeps them")
    func closed() throws {
        for (profile, isKept) in [(DeviceProfile.linux, false), (try #require(.named("ios-7")), true)] {
            let device = Device(profile)
            let models = ServiceModels(["transfers": SimulatedTransfers.self])
            device.declare([ServiceScript(model: "transfers")], models)
            device.install(AppScript(name: "photos", manifest: AppManifest(identifier: journal, name: "photos")))
            device.boot()
            device.perform(.network(.wifi))
            begin("download 20MB in camera", device)
            device.advance(by: .seconds(2))
            device.perform(.close("photos"))
            device.advance(by: .seconds(60))
            #expect((device.world.movedBytes == 20_000_000) == isKept, "\(profile.name)")
            #expect(device.violations.isEmpty)
        }
    }

    @Test("It declares what the real one declares")
    func declaration() throws {
        struct File: Decodable {
            struct Window: Decodable {
                var name, sentence: String
                var time: Double
                var callback: String
                var authentication: Bool?
            }
            var name: String
            var windows: [Window]
        }
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Services/Transfers/transfers.json")
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
        let declaration = SimulatedTransfers.declaration
        #expect(file.name == declaration.name && file.windows.count == declaration.windows.count)
        for (real, simulated) in zip(file.windows, declaration.windows) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(Model.Span.seconds(real.time) == simulated.time)
            #expect(real.callback == CallbackKind.handleEventsForBackgroundURLSession.name)
            #expect(simulated.callback == (real.authentication == true ? .sessionChallenge : .sessionEvents))
        }
    }

    @Test("Words that it does not know are refused with those that it knows")
    func words() {
        let known = [
            "open photos", "download 20MB in photos", "upload 3kB in photos discretionary", "cancel photos",
            "download 20MB in photos after 2h", "upload 3kB in low low", "download 1B in a after 90s low discretionary",
        ]
        for text in known {
            #expect(SimulatedTransfers.misunderstanding(of: text) == nil, "\(text)")
        }
        let unknown = [
            "", "open", "download in photos", "download -1MB in x", "download 20 in x", "cancel a b", "open a low",
            "download 1B in x after", "download 1B in x after 2", "download 1B in x after -1s", "cancel a after 1h",
        ]
        for text in unknown {
            #expect(SimulatedTransfers.misunderstanding(of: text)?.contains("download SIZE in SESSION") == true)
        }
        var random = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let words = SimulatedTransfers.words(&random, canBegin: true)
            #expect(SimulatedTransfers.misunderstanding(of: words) == nil)
        }
    }

    @Test("A transfer begins no earlier than its app asked for, also when the service died meanwhile")
    func beginDate() {
        let (device, place) = device()
        begin("download 1MB in camera after 2h", device)
        device.inject(.killService("transfers"))
        device.advance(by: .seconds(7190))
        #expect(device.world.movedBytes == 0 && device.apps[place].heard.isEmpty)
        device.advance(by: .seconds(20))
        #expect(device.world.movedBytes == 1_000_000 && device.apps[place].heard.contains("completed camera"))
        #expect(device.violations.isEmpty)
    }

    @Test("What can wait goes while the radio is awake, and within a quarter of an hour in any case")
    func lowPriority() {
        let (device, _) = device()
        device.perform(.network(.cellular))
        device.advance(by: .seconds(1))
        begin("download 1kB in camera low", device)
        device.advance(by: .seconds(600))
        #expect(device.world.movedBytes == 0)
        begin("download 2kB in camera", device)
        device.advance(by: .seconds(10))
        #expect(device.world.movedBytes == 3_000 && device.world.cellularWakeups == 1)
        // The radio sleeps again.
        device.advance(by: .seconds(60))
        begin("download 4kB in camera low", device)
        device.advance(by: .seconds(880))
        #expect(device.world.movedBytes == 3_000 && device.world.cellularWakeups == 1)
        device.advance(by: .seconds(30))
        #expect(device.world.movedBytes == 7_000 && device.world.cellularWakeups == 2)
        #expect(device.violations.isEmpty)
    }

    @Test("Hourly work of twenty apps that can wait takes a sixth of the wakings and of the energy (E2)")
    func hourly() {
        var work = HourlyTransfers()
        work.bytes = 1
        let apart = work.run()
        #expect(apart.violations == [] && apart.movedBytes == 480 && apart.wakings == 480)
        // Each wakes the radio for itself: 9.5 J of promotion and tails, and the wait for the byte.
        #expect((4555...4650).contains(apart.total.joules), "\(apart.total.joules)")
        work.canWait = true
        let together = work.run()
        #expect(together.violations == [] && together.movedBytes == 480)
        // In a quarter of an hour the minutes of five more apps come round.
        #expect((76...84).contains(together.wakings), "\(together.wakings)")
        #expect(together.total.joules < 900 && together.total * 5 < apart.total, "\(together.total.joules)")
        for (joint, single) in zip(together.perApp, apart.perApp) { #expect(joint * 3 < single) }
    }

    /// Storm 1004275 of an hour ended while an app was told of an upload that it had begun when it was told of the one
    /// before, and so on.
    @Test("In a storm no app begins a transfer each time that one has ended: everything comes to rest at its end")
    func rest() {
        let models = ServiceModels(["transfers": SimulatedTransfers.self])
        var asks = 0
        for seed in UInt64(1)...60 {
            for app in StormGenerator.scenario(seed: seed, length: .seconds(3600), models: models).apps {
                for (callback, actions) in app.reactions {
                    for case .ask(_, let words) in actions {
                        asks += 1
                        let begins = words.hasPrefix("download") || words.hasPrefix("upload")
                        #expect(
                            !begins || callback == .didBecomeActive,
                            "storm \(seed): \(app.name) in \(callback): \(words)")
                    }
                }
            }
        }
        #expect(asks > 200)
    }
}
