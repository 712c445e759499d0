import Foundation
import Model
import PolicyCore
import Testing

@Suite("Changes of the device") struct SystemChangeTests {
    private func told(_ device: TestDevice, _ app: AppIndex) -> [DeviceConditions] {
        device.told.filter { $0.app == app }.map(\.conditions)
    }

    private func suspended() -> (TestDevice, AppIndex) {
        let device = TestDevice()
        device.send(.conditionSensed(.network(.wifi)))
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        #expect(device.system.app(app)?.state == .suspended)
        device.told = []
        return (device, app)
    }

    @Test("A launch is told everything, before its callbacks")
    func launch() throws {
        let device = TestDevice()
        device.send(.conditionSensed(.locale("de_DE")))
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        #expect(told(device, app).map(\.locale) == ["de_DE"])
        #expect(!device.log.contains { $0.event == .toldOfChanges })
        device.finish()
    }

    @Test("A suspended app hears nothing, then one message with what is so, before it enters the foreground")
    func resume() throws {
        let (device, app) = suspended()
        let thaws = device.thaws
        for percent in 1...50 {
            device.send(.conditionSensed(.battery(BatteryReading(.unplugged, percent: Int32(percent)))))
        }
        device.send(.conditionSensed(.locale("de_DE")))
        #expect(told(device, app).isEmpty && device.thaws == thaws)
        let id = CommandID(1000)
        device.unanswered.insert(id)
        let effects = device.send(.command(id, .open(app, role: .primary, wait: false)))
        let expected: [EffectKind] = [.thaw, .tellConditions, .deliver].map { EffectKind($0) }
        #expect(effects.map(\.kind).filter(expected.contains) == expected)
        #expect(told(device, app).map(\.battery.percent) == [50])
        let reasons = device.log.filter { $0.event == .toldOfChanges }.map(\.reason)
        #expect(reasons == [.changedMeanwhile([.locale, .battery])])
    }

    @Test("A hundred thousand changes leave a suspended app as large as it was")
    func bounded() throws {
        let (device, _) = suspended()
        func size() throws -> Int { try JSONEncoder().encode(device.system).count }
        device.send(.conditionSensed(.locale("aa_AA")))
        let before = try size()
        for number in 0..<1000 { device.send(.conditionSensed(.locale(number % 2 == 0 ? "bb_BB" : "aa_AA"))) }
        #expect(try abs(size() - before) < 64)
    }

    @Test("A network counts when it has been another for half a second")
    func network() {
        let (device, app) = suspended()
        device.perform(.open(app, role: .primary, wait: true))
        device.told = []
        device.send(.conditionSensed(.network(.none)))
        device.pass(.milliseconds(400))
        device.send(.conditionSensed(.network(.wifi)))
        device.pass(.seconds(2))
        #expect(told(device, app).isEmpty)
        device.send(.conditionSensed(.network(.none)))
        device.pass(.milliseconds(400))
        device.send(.conditionSensed(.network(.cellular)))
        device.pass(.milliseconds(99))
        #expect(told(device, app).isEmpty)
        device.pass(.milliseconds(2))
        #expect(told(device, app).map(\.network) == [.cellular])
    }

    @Test("What is pretended counts until it is real again, and outlives the daemon")
    func simulated() {
        let (device, app) = suspended()
        device.perform(.simulate(.locale("de_DE")))
        device.killDaemon()
        device.restartDaemon()
        device.send(.conditionSensed(.locale("fr_FR")))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(told(device, app).last?.locale == "de_DE")
        device.perform(.endSimulation(.locale))
        #expect(told(device, app).last?.locale == "fr_FR")
    }

    @Test("Nobody waits for midnight while nobody runs, and no suspended app wakes for it")
    func midnight() throws {
        let (device, app) = suspended()
        #expect(device.system.nextDeadline() == nil, "a suspended app has no deadline")
        device.perform(.open(app, role: .primary, wait: true))
        device.told = []
        let day = 86_400 - 1_700_000_001 % 86_400
        device.pass(.seconds(Double(day + 1)))
        #expect(told(device, app).count == 1)
    }

    @Test("Clocks that go forward are told at that moment, from what the zone says")
    func transition() {
        let (device, app) = suspended()
        let zone = TimeZoneReading(
            "Europe/Berlin", offset: 3600,
            transitions: [TimeZoneReading.Transition(at: 1_700_000_001 + 100, offset: 7200)])
        device.send(.conditionSensed(.timeZone(zone)))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(told(device, app).map(\.time.utcOffset) == [3600])
        device.pass(.seconds(120))
        #expect(told(device, app).map(\.time.utcOffset) == [3600, 7200])
    }

    @Test("An app's settings have a bound, and a plain program has none")
    func settings() {
        let device = TestDevice()
        let (app, plain) = (device.installTest("journal"), device.installTest("top", kind: .plain))
        for number in 0..<Setting.most {
            #expect(device.perform(.changeSetting(app, key: "\(number)", value: "x")) == .done(app: app))
        }
        #expect(device.perform(.changeSetting(app, key: "0", value: "y")) == .done(app: app))
        #expect(
            device.perform(.changeSetting(app, key: "one more", value: "x"))
                == .refused(.tooManySettings("journal", limit: Setting.most)))
        #expect(device.perform(.changeSetting(plain, key: "a", value: "x")) == .refused(.takesNoSettings("top")))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(told(device, app).last?.settings.count == Setting.most)
        #expect(told(device, app).last?.settings.first == Setting(key: "0", value: "y"))
    }

    @Test("What may be lost with a connection is told again")
    func reconnection() throws {
        let (device, app) = suspended()
        device.perform(.open(app, role: .primary, wait: true))
        device.told = []
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.conditionSensed(.locale("de_DE")))
        device.send(.disconnected(app, generation))
        device.send(.conditionSensed(.locale("fr_FR")))
        device.send(.connected(app, generation, executed: device.system.app(app)?.outstanding.last?.callback.number))
        #expect(told(device, app).map(\.locale) == ["de_DE", "fr_FR"])
    }
}
