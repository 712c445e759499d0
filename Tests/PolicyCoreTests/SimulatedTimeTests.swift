import Foundation
import Model
import PolicyCore
import Testing

/// What a tool pretends of the clock and of shared stores.
@Suite("A pretended clock and pretended changes of stores") struct SimulatedTimeTests {
    private func told(_ device: TestDevice, _ app: AppIndex) -> [DeviceConditions] {
        device.told.filter { $0.app == app }.map(\.conditions)
    }

    private func running() -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        return (device, app)
    }

    /// What the app was told to have changed, one message after another.
    private func changes(_ device: TestDevice, _ app: AppIndex) -> [[SystemChange]] {
        let all = told(device, app)
        return zip(all, all.dropFirst()).map { $1.changes(since: $0) }
    }

    @Test(
        "A clock that a tool sets by more than a minute is a significant change, in either direction",
        arguments: [(3600, true), (-3600, true), (61, true), (-61, true), (60, false), (-5, false), (0, false)])
    func clock(_ seconds: Int64, _ isSignificant: Bool) {
        let (device, app) = running()
        device.perform(.simulate(.clock(ahead: seconds)))
        #expect(changes(device, app) == (isSignificant ? [[.significantTime]] : []))
        device.perform(.endSimulation(.significantTime))
        #expect(changes(device, app) == (isSignificant ? [[.significantTime], [.significantTime]] : []))
        device.finish()
    }

    @Test("A suspended app hears of it at the resume; a clock that is real again by then was never set")
    func suspended() {
        let (device, app) = running()
        device.perform(.home(wait: true))
        device.perform(.simulate(.clock(ahead: 7200)))
        device.perform(.simulate(.clock(ahead: 9000)))
        #expect(changes(device, app).isEmpty)
        device.perform(.open(app, role: .primary, wait: true))
        #expect(changes(device, app) == [[.significantTime]])
        device.perform(.endSimulation(.significantTime))
        device.perform(.home(wait: true))
        device.perform(.simulate(.clock(ahead: 86_400)))
        device.perform(.endSimulation(.significantTime))
        device.perform(.open(app, role: .primary, wait: true))
        #expect(changes(device, app) == [[.significantTime], [.significantTime]])
    }

    @Test("The next midnight is where the device's zone has it, and a pretended one begins the next day")
    func midnight() {
        for (offset, zone) in [(0, "UTC"), (32_400, "Asia/Tokyo"), (-18_000, "America/Bogota")] as [(Int32, String)] {
            let (device, app) = running()
            device.send(.conditionSensed(.timeZone(TimeZoneReading(zone, offset: offset))))
            let day = told(device, app).last?.time.day ?? 0
            let wall = device.system.wall(device.now).nanoseconds / 1_000_000_000
            let left = device.system.conditions.secondsToMidnight(fromWall: wall)
            #expect((1...86_400).contains(left) && (wall + Int64(offset) + left) % 86_400 == 0, "\(zone)")
            device.perform(.simulate(.clock(ahead: left)))
            #expect(told(device, app).last?.time.day == day + 1, "\(zone)")
            #expect(device.system.conditions.secondsToMidnight(fromWall: wall) == 86_400)
            // The pretended clock goes on: a day later there is another day.
            device.told = []
            device.pass(.seconds(86_400))
            #expect(told(device, app).map(\.time.day) == [day + 2], "\(zone)")
        }
    }

    @Test("The pretended clock outlives the daemon, and its bounds hold")
    func bounds() throws {
        let (device, app) = running()
        device.perform(.simulate(.clock(ahead: .max)))
        #expect(device.system.conditions.clockAhead == ClockReading.maxPretended)
        device.perform(.simulate(.clock(ahead: .min)))
        #expect(device.system.conditions.clockAhead == -ClockReading.maxPretended)
        device.perform(.simulate(.clock(ahead: 600)))
        device.killDaemon()
        device.restartDaemon()
        #expect(device.system.conditions.clockAhead == 600)
        let restored = try JSONDecoder().decode(System.self, from: JSONEncoder().encode(device.system))
        #expect(restored.conditions.clockAhead == 600)
        #expect(device.system.app(app)?.state.isForeground == true)
    }

    @Test("A store is changed as often as a tool says, beside its real changes, also one that the device lacks")
    func stores() {
        let (device, app) = running()
        device.send(.conditionSensed(.store(SharedStore("contacts", stamp: 40))))
        device.told = []
        let before = told(device, app).count
        for (name, count) in [("contacts", 1), ("contacts", 2), ("photos", 1), ("calendar", 1)] as [(String, Int64)] {
            #expect(device.system.conditions.pretendedChanges(of: name) == count - 1)
            device.perform(.simulate(.store(SharedStore(name, stamp: count))))
        }
        #expect(told(device, app).count == before + 4)
        #expect(changes(device, app).allSatisfy { $0 == [.sharedStores] })
        #expect(
            told(device, app).last?.stores == [
                SharedStore("calendar", stamp: 1), SharedStore("contacts", stamp: 42), SharedStore("photos", stamp: 1),
            ])
        // The file itself changes, and is as it is after the daemon's restart.
        device.send(.conditionSensed(.store(SharedStore("contacts", stamp: 90))))
        #expect(told(device, app).last?.stores.first { $0.name == "contacts" }?.stamp == 92)
        device.told = []
        device.send(.conditionSensed(.store(SharedStore("contacts", stamp: 90))))
        #expect(told(device, app).isEmpty)
        #expect(device.log.contains { $0.reason.sentence.contains("photos was changed") })
    }
}
