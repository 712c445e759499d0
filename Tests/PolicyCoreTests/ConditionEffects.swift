import Model
import PolicyCore

/// What effects say of the device's surroundings, each a little different from the others.
enum ConditionEffects {
    private static let conditions: [DeviceConditions] = {
        let one = DeviceConditions(time: ClockReading(day: 1, utcOffset: 2, clock: 3))
        let changes: [(inout DeviceConditions) -> Void] = [
            { $0.settings = [Setting(key: "a", value: "b")] }, { $0.settings = [Setting(key: "a", value: "")] },
            { $0.locale = "de_DE" }, { $0.timeZone = "Asia/Tokyo" }, { $0.time.day = 2 }, { $0.time.utcOffset = 3 },
            { $0.time.clock = 4 }, { $0.screen.brightness = 1 }, { $0.screen.external = 1 },
            { $0.battery = BatteryReading(.full, percent: 100) }, { $0.battery = BatteryReading(.unknown, percent: 9) },
            { $0.network = .wifi }, { $0.network = .cellular }, { $0.refreshes = false },
            { $0.isLowPower = true }, { $0.thermalState = .fair }, { $0.thermalState = .critical },
            { $0.orientation = .portrait }, { $0.orientation = .faceDown },
            { $0.stores = [SharedStore("a", stamp: 1)] }, { $0.stores = [SharedStore("a", stamp: 2)] },
            { $0.stores = [SharedStore("b", stamp: 1)] },
            { $0.stores = [SharedStore("a", stamp: 1), SharedStore("b", stamp: 1)] },
            { $0.protectedData = .ending }, { $0.protectedData = .unavailable }, { $0.screenshots = 1 },
            { $0.screenshots = 2 }, { $0.memoryRecoveries = 1 },
        ]
        return [one]
            + changes.map { change in
                var other = one
                change(&other)
                return other
            }
    }()

    static func actions(_ app: AppIndex, _ generation: Generation, _ other: Generation) -> [Action] {
        conditions.map { .tellConditions(app, generation, $0) } + [
            .tellConditions(app, other, conditions[0]), .tellConditions(AppIndex(4), generation, conditions[0]),
        ]
    }

    static let reasons: [Reason] = [
        .conditionChanged(.locale("a")), .conditionChanged(.network(.wifi)), .conditionChanged(.network(.none)),
        .conditionChanged(.timeZone(.utc)), .conditionChanged(.timeZone(TimeZoneReading("UTC", offset: 1))),
        .conditionChanged(.screen(ScreenReading())), .conditionChanged(.battery(.none)),
        .changedMeanwhile([]), .changedMeanwhile([.network]), .changedMeanwhile([.network, .locale]),
        .settingChanged("a", key: "b"), .settingChanged("a", key: "c"), .settingChanged("b", key: "b"),
        .conditionChanged(.lowPower(true)), .conditionChanged(.lowPower(false)),
        .conditionChanged(.thermalState(.serious)), .conditionChanged(.orientation(.landscapeLeft)),
        .conditionChanged(.store(SharedStore("a", stamp: 1))), .conditionChanged(.store(SharedStore("a", stamp: 2))),
        .conditionChanged(.clock(ahead: 60)), .conditionChanged(.clock(ahead: -60)),
        .conditionChanged(.screenshot), .protectedDataUnavailable(after: .seconds(1)),
        .protectedDataUnavailable(after: .seconds(2)), .keepsScreenOn("a", true), .keepsScreenOn("a", false),
        .keepsScreenOn("b", true), .savesPower(true, percent: 20), .savesPower(false, percent: 20),
        .savesPower(true, percent: 19),
    ]
}
