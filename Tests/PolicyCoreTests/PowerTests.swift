import Model
import PolicyCore
import Testing

@Suite("Power, warmth and orientation") struct PowerTests {
    private func told(_ device: TestDevice, _ app: AppIndex) -> [DeviceConditions] {
        device.told.filter { $0.app == app }.map(\.conditions)
    }

    private func active(_ profile: DeviceProfile = .linux) -> (TestDevice, AppIndex) {
        let device = TestDevice(profile)
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        device.told = []
        return (device, app)
    }

    private func discharge(_ device: TestDevice, to percent: Int32, _ state: BatteryReading.State = .unplugged) {
        device.send(.conditionSensed(.battery(BatteryReading(state, percent: percent))))
    }

    @Test("Each is told once at the resume, and what was undone never")
    func resume() {
        let (device, app) = active()
        device.perform(.home(wait: true))
        device.perform(.simulate(.lowPower(true)))
        device.perform(.simulate(.thermalState(.serious)))
        device.perform(.simulate(.thermalState(.fair)))
        device.perform(.simulate(.orientation(.landscapeLeft)))
        device.perform(.simulate(.orientation(.unknown)))
        #expect(told(device, app).isEmpty)
        device.perform(.open(app, role: .primary, wait: true))
        #expect(told(device, app).map(\.thermalState) == [.fair])
        #expect(told(device, app).map(\.isLowPower) == [true] && told(device, app).map(\.orientation) == [.unknown])
        let reasons = device.log.filter { $0.event == .toldOfChanges }.map(\.reason)
        #expect(reasons == [.changedMeanwhile([.backgroundRefresh, .lowPower, .thermalState])])
        device.finish()
    }

    @Test("While power is saved an app hears that it may not refresh, and afterwards that it may")
    func refresh() {
        let (device, app) = active()
        device.perform(.simulate(.lowPower(true)))
        device.perform(.endSimulation(.lowPower))
        #expect(told(device, app).map(\.refreshes) == [false, true])
        device.perform(.allowRefresh(app, false))
        device.perform(.simulate(.lowPower(true)))
        device.perform(.simulate(.lowPower(false)))
        #expect(told(device, app).dropFirst(2).map(\.refreshes) == [false, false, false])
        device.finish()
    }

    @Test("A low battery switches low-power mode on by itself; it ends with a charger, or some percent higher")
    func battery() {
        let (device, app) = active()
        func isOn() -> Bool? { told(device, app).last?.isLowPower }
        discharge(device, to: 21)
        #expect(isOn() == false)
        discharge(device, to: 20)
        #expect(isOn() == true)
        #expect(device.log.last { $0.event == .conditionChanged }?.reason == .savesPower(true, percent: 20))
        discharge(device, to: 25)
        #expect(isOn() == true, "a level that wavers is no change")
        discharge(device, to: 26)
        #expect(isOn() == false)
        #expect(device.log.last { $0.event == .conditionChanged }?.reason == .savesPower(false, percent: 26))
        discharge(device, to: 20)
        discharge(device, to: 20, .charging)
        #expect(isOn() == false)
        discharge(device, to: 10)
        discharge(device, to: 10, .unknown)
        #expect(isOn() == false)
        device.finish()
    }

    @Test("What the user says counts against the battery, also after the daemon's death")
    func user() {
        let (device, app) = active()
        discharge(device, to: 10)
        #expect(told(device, app).last?.isLowPower == true)
        device.perform(.simulate(.lowPower(false)))
        device.killDaemon()
        device.restartDaemon()
        #expect(!device.system.conditions.isLowPower)
        device.perform(.endSimulation(.lowPower))
        #expect(device.system.conditions.isLowPower)
        device.send(.conditionSensed(.lowPower(true)))
        discharge(device, to: 90, .charging)
        #expect(device.system.conditions.isLowPower, "the machine's own setting has nothing to do with the battery")
    }

    @Test("What apps share is told once however often it was changed, and of each store by its name")
    func stores() {
        let device = TestDevice()
        device.send(.conditionSensed(.store(SharedStore("contacts", stamp: 1))))
        device.send(.conditionSensed(.store(SharedStore("calendar", stamp: 1))))
        let app = device.installTest("journal")
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        device.told = []
        for stamp in Int64(2)...50 { device.send(.conditionSensed(.store(SharedStore("contacts", stamp: stamp)))) }
        device.send(.conditionSensed(.store(SharedStore("calendar", stamp: 1))))
        #expect(told(device, app).isEmpty)
        device.perform(.open(app, role: .primary, wait: true))
        #expect(
            told(device, app).map(\.stores)
                == [[SharedStore("calendar", stamp: 1), SharedStore("contacts", stamp: 50)]])
        let reasons = device.log.filter { $0.event == .toldOfChanges }.map(\.reason)
        #expect(reasons == [.changedMeanwhile([.sharedStores])])
        device.finish()
    }

    @Test("A device has so many stores, whatever it is told")
    func manyStores() {
        let (device, app) = active()
        for number in 0..<100 { device.send(.conditionSensed(.store(SharedStore("\(number)", stamp: 1)))) }
        #expect(told(device, app).last?.stores.count == SharedStore.most)
        device.finish()
    }

    @Test("A profile from before there was such a mode saves no power by itself")
    func profile() {
        let (device, app) = active(.iOS7)
        discharge(device, to: 1)
        #expect(told(device, app).map(\.isLowPower) == [false])
        device.finish()
    }
}
