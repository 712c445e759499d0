import Model
import Simulation
import Testing

@Suite("Simulated storms")
struct SimulatedStormTests {
    @Test("A day of faults ends at rest, with every invariant and every oracle satisfied", arguments: 1...30)
    func storm(seed: UInt64) {
        let run = ScenarioRun(StormGenerator.scenario(seed: seed))
        let failures = run.run()
        #expect(failures.map(\.text) == [], "greenroom run --storm 1 --seed \(seed) repeats this storm")
        #expect(run.device.eventCount > 300)
    }

    @Test("Storms meet every kind of app, every profile, every input and every fault")
    func variety() {
        let storms = (1...200).map { StormGenerator.scenario(seed: $0) }
        #expect(Set(storms.map(\.profile.name)).count == DeviceProfile.all.count)
        let actions = storms.flatMap(\.steps).map { "\($0.action)".prefix { $0 != "\"" } }
        let words = Set(actions.flatMap { $0.split { "(.,:)".contains($0) }.map(String.init) })
        for word in [
            "open", "openURL", "home", "lock", "unlock", "switcher", "close", "restart", "exempt", "install",
            "uninstall", "interrupt", "dismiss", "accept", "endCall", "sleep", "wake", "reboot", "shutDown", "boot",
            "app", "setClock", "crash", "exit", "hang", "freezeMainThread", "recover", "disconnect", "loseReply",
            "delayReplies", "unfreezable", "ignoreTermination", "leaveOthers", "endOthers", "debugger", "fork",
            "thaw", "diskFull", "launchFails", "networkDown", "killDaemon", "killDaemonWithin",
            "network", "battery", "locale", "timeZone", "brightness", "screens", "setting",
            "lowPower", "thermalState", "orientation", "changeStore",
        ] { #expect(words.contains(word), "no storm has \(word)") }
    }

    @Test("A failing run is made as small as it can be, and still fails the same way")
    func shrinking() throws {
        var scenario = StormGenerator.scenario(seed: 8)
        let name = try #require(scenario.apps.first?.name)
        scenario.expectations = [Placed(.never(LogPattern(app: name, event: .terminated)))]
        let end = scenario.steps.last?.at ?? .zero
        for input in [Input.boot, .install(name), .unlock, .open(name, role: .primary)] {
            scenario.steps.append(Scenario.Step(at: end, .input(input)))
        }
        scenario.steps.append(Scenario.Step(at: end + .seconds(100), .fault(.crash(name, signal: 11))))
        let before = try #require(ScenarioRun(scenario).run().first)
        let small = Shrinker.shrink(scenario)
        let after = try #require(ScenarioRun(small).run().first)
        #expect(Shrinker.signature(after.text) == Shrinker.signature(before.text))
        // Something launches it, and something ends it, perhaps another app.
        #expect(small.apps.count <= 2 && small.steps.count <= 3, "\(small)")
    }
}
