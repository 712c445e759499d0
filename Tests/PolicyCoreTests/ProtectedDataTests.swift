import Foundation
import Model
import PolicyCore
import Testing

/// What the lock and the screen mean for apps, beside their place on it.
@Suite("Protected data, pictures of the screen, and a screen that stays on") struct ProtectedDataTests {
    private func told(_ device: TestDevice, _ app: AppIndex) -> [ProtectedData] {
        device.told.filter { $0.app == app }.map(\.conditions.protectedData)
    }

    private func active(_ profile: DeviceProfile = .linux, exempt: Bool = false) -> (TestDevice, AppIndex) {
        let device = TestDevice(profile)
        let app = device.installTest("journal")
        if exempt { device.perform(.exempt(app, true)) }
        device.perform(.open(app, role: .primary, wait: true))
        device.told = []
        return (device, app)
    }

    @Test(
        "An app that runs hears at the lock that protected data goes, ten seconds later that it went, and of the unlock"
    )
    func running() {
        let (device, app) = active(exempt: true)
        device.perform(.lock(wait: true))
        #expect(told(device, app) == [.ending])
        device.pass(.milliseconds(9_999))
        #expect(told(device, app) == [.ending] && device.system.conditions.protectedData == .ending)
        device.pass(.milliseconds(1))
        #expect(told(device, app) == [.ending, .unavailable])
        #expect(
            device.log.last { $0.event == .conditionChanged }?.reason == .protectedDataUnavailable(after: .seconds(10)))
        device.perform(.unlock(wait: true))
        #expect(told(device, app) == [.ending, .unavailable, .available])
        device.finish()
    }

    @Test("Whoever unlocks in time loses nothing, and the deadline is gone")
    func inTime() {
        let (device, app) = active(exempt: true)
        device.perform(.lock(wait: true))
        device.pass(.seconds(5))
        device.perform(.unlock(wait: true))
        device.pass(.seconds(60))
        #expect(told(device, app) == [.ending, .available])
        device.finish()
    }

    @Test("A second lock, such as that of sleep, does not begin the time anew")
    func once() {
        let (device, app) = active(exempt: true)
        device.perform(.lock(wait: true))
        device.pass(.seconds(6))
        device.perform(.sleep(wait: true))
        device.pass(.seconds(4))
        #expect(told(device, app) == [.ending, .unavailable])
        device.perform(.wake(wait: true))
        #expect(told(device, app).last == .unavailable, "a device that wakes is still locked")
        device.finish()
    }

    @Test("A suspended app is told when it runs again what is so then, and nothing of what is over")
    func suspended() {
        let (device, app) = active()
        device.perform(.home(wait: true))
        device.perform(.lock(wait: true))
        device.pass(.seconds(11))
        #expect(told(device, app).isEmpty)
        device.perform(.unlock(wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(!device.log.contains { $0.event == .toldOfChanges })
        device.finish()
    }

    @Test("A launch while the device is locked begins with protected data out of reach")
    func launch() {
        let device = TestDevice()
        let app = device.installTest("journal", modes: .fetch)
        device.perform(.lock(wait: true))
        device.pass(.seconds(11))
        _ = device.begin(.simulateFetch(app, launches: false, wait: false))
        device.run()
        #expect(told(device, app) == [.unavailable])
        device.finish()
    }

    @Test("The daemon's death moves no deadline, and a restart of the device unlocks it")
    func restarts() {
        let (device, app) = active(exempt: true)
        device.perform(.lock(wait: true))
        device.pass(.seconds(4))
        device.killDaemon()
        device.restartDaemon()
        device.pass(.seconds(6))
        #expect(told(device, app).last == .unavailable)
        device.perform(.reboot)
        #expect(device.system.conditions.protectedData == .available)
        device.finish()
    }

    @Test("Devices from before iOS 4, and profiles that say nothing, protect nothing", arguments: [true, false])
    func older(isBuiltIn: Bool) {
        var profile = isBuiltIn ? DeviceProfile.iPhoneOS3 : .linux
        if !isBuiltIn { profile.protectsDataAfter = nil }
        let (device, app) = active(profile, exempt: true)
        device.perform(.lock(wait: true))
        device.pass(.seconds(60))
        #expect(
            device.system.conditions.protectedData == .available && told(device, app).allSatisfy { $0 == .available })
    }

    @Test("A locked app of 2010, which stays in the foreground, hears it as well")
    func inactive() {
        let (device, app) = active(.iPhone4)
        device.perform(.lock(wait: true))
        device.pass(.seconds(10))
        #expect(device.system.app(app)?.state == .inactive)
        #expect(told(device, app) == [.ending, .unavailable])
        device.finish()
    }

    @Test("A profile and a checkpoint from before say nothing of it, and are read")
    func codable() throws {
        var json = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(DeviceProfile.linux)) as? [String: Any])
        json["protectsDataAfter"] = nil
        let profile = try JSONDecoder().decode(DeviceProfile.self, from: JSONSerialization.data(withJSONObject: json))
        #expect(profile.protectsDataAfter == nil)
        let (device, _) = active(exempt: true)
        device.perform(.lock(wait: true))
        var again = try JSONDecoder().decode(System.self, from: JSONEncoder().encode(device.system))
        #expect(again.conditions == device.system.conditions && again.nextDeadline() == device.system.nextDeadline())
    }

    // MARK: Pictures of the screen

    @Test("The app on the screen hears of each picture; one that is suspended, hidden or new hears of none")
    func screenshots() {
        let (device, app) = active()
        func heard() -> [Int64] { device.told.filter { $0.app == app }.map(\.conditions.screenshots) }
        for _ in 0..<2 { device.perform(.simulate(.screenshot)) }
        #expect(heard() == [1, 2])
        #expect(device.log.filter { $0.reason == .conditionChanged(.screenshot) }.count == 2)
        device.perform(.home(wait: true))
        device.perform(.simulate(.screenshot))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(heard() == [1, 2])
        device.perform(.close(app, wait: true))
        device.told = []
        device.perform(.open(app, role: .primary, wait: true))
        #expect(heard() == [2], "a launch is told all, and nothing of it is a change")
        device.finish()
    }

    @Test("An app with two scenes on the screen hears of one picture once, and so does the app beside it")
    func picturesOfTwoScenes() {
        let device = TestDevice(.linux)
        let (app, other) = (device.installTest("notes", scenes: .several), device.installTest("other"))
        func heard(_ app: AppIndex) -> [Int64] { device.told.filter { $0.app == app }.map(\.conditions.screenshots) }
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.openScene(app, nil, role: .secondary, wait: true))
        #expect(device.system.sceneSessions(app).map(\.state) == [.active, .active])
        device.told = []
        device.perform(.simulate(.screenshot))
        #expect(heard(app) == [1])
        device.perform(.open(other, role: .primary, wait: true))
        device.told = []
        device.perform(.simulate(.screenshot))
        #expect(heard(app) == [2] && heard(other) == [1])
        device.finish()
    }

    // MARK: A screen that stays on

    private func holds(_ device: TestDevice) -> [LogEvent] {
        device.log.map(\.event).filter { $0 == .screenHeld || $0 == .screenReleased }
    }

    @Test("An app keeps the screen on while it is active and wants that, and the log says so")
    func held() {
        let (device, app) = active()
        #expect(device.system.screenHolder == nil)
        #expect(device.request(app, .keepScreenOn(true)) == .done)
        #expect(device.request(app, .keepScreenOn(true)) == .done)
        #expect(device.system.screenHolder == app && holds(device) == [.screenHeld])
        device.perform(.home(wait: true))
        #expect(device.system.screenHolder == nil && holds(device) == [.screenHeld, .screenReleased])
        device.perform(.open(app, role: .primary, wait: true))
        #expect(device.system.screenHolder == app)
        device.perform(.interrupt(.alert, wait: true))
        #expect(device.system.screenHolder == nil)
        device.perform(.dismiss(.alert, wait: true))
        #expect(device.system.screenHolder == app)
        device.perform(.lock(wait: true))
        #expect(device.system.screenHolder == nil)
        device.perform(.unlock(wait: true))
        device.request(app, .keepScreenOn(false))
        #expect(device.system.screenHolder == nil)
        device.finish()
    }

    @Test("The wish ends with the process, and another app does not inherit it")
    func lapses() throws {
        let (device, app) = active()
        let other = device.installTest("notes")
        device.request(app, .keepScreenOn(true))
        device.perform(.open(other, role: .primary, wait: true))
        #expect(device.system.screenHolder == nil)
        device.perform(.close(app, wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(device.system.screenHolder == nil, "a new process has not asked")
        device.finish()
    }
}
