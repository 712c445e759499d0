public import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
public import UIKit

// What changes around the apps. An app that runs is told within the second that each of these takes; a suspended one
// when it runs again, of each kind once, and of nothing that is as it was.
extension TestDevice {
    /// What connects the device to others.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        case none, wifi, cellular, wired

        var kind: NetworkKind {
            switch self {
            case .none: .none
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wired
            }
        }
    }

    /// The device has this network from now on.
    public func setNetwork(_ network: Network) async throws(TestDeviceError) {
        try await change(.network(network.kind))
    }

    /// The app in front and those that run are told that memory is short.
    public func sendMemoryWarning() async throws(TestDeviceError) { try await perform(.memoryWarning) }

    /// The system ends a suspended app because it needs its memory: the app hears nothing of it.
    ///
    /// - Throws: `TestDeviceError.refused` if the app is not suspended.
    public func reclaimMemory(of app: InstalledApp) async throws(TestDeviceError) {
        guard app.state == .suspended else { throw .refused("\(app.name) is not suspended") }
        try await app.crash(signal: 9)
    }

    /// The battery has so many percent, and is charged or not.
    public func setBattery(_ percent: Int, isCharging: Bool = false) async throws(TestDeviceError) {
        try await change(
            .battery(BatteryReading(isCharging ? .charging : .unplugged, percent: Int32(clamping: percent))))
    }

    /// The user chooses another language or region. `Locale.current` stays what it is: the app finds the new one in
    /// `UIDevice.localeIdentifier`.
    public func setLocale(_ identifier: String) async throws(TestDeviceError) { try await change(.locale(identifier)) }

    /// The device is in another time zone, so many seconds east of Greenwich. The test's own `TimeZone.current` stays.
    public func setTimeZone(_ identifier: String, secondsFromGMT: Int) async throws(TestDeviceError) {
        try await change(.timeZone(identifier, offset: Int32(clamping: secondsFromGMT)))
    }

    /// The screen has this brightness, from 0 to 1.
    public func setBrightness(_ brightness: Double) async throws(TestDeviceError) {
        let percent = brightness.isNaN ? 0 : (min(max(brightness, 0), 1) * 100).rounded()
        try await change(.brightness(Int32(percent)))
    }

    /// So many screens are connected beside the device's own.
    public func setExternalScreens(_ count: Int) async throws(TestDeviceError) {
        try await change(.screens(Int32(clamping: count)))
    }

    /// The user switches low-power mode on or off. While it is on, nothing is begun in the background.
    public func setLowPowerMode(_ isOn: Bool) async throws(TestDeviceError) { try await change(.lowPower(isOn)) }

    /// The device is that warm. From `serious` on, nothing is begun in the background.
    public func setThermalState(_ state: ProcessInfo.ThermalState) async throws(TestDeviceError) {
        let warmth: ThermalState =
            switch state {
            case .nominal: .nominal
            case .fair: .fair
            case .serious: .serious
            case .critical: .critical
            }
        try await change(.thermalState(warmth))
    }

    /// The device is held that way.
    public func setOrientation(_ orientation: UIDeviceOrientation) async throws(TestDeviceError) {
        let held: Orientation =
            switch orientation {
            case .unknown: .unknown
            case .portrait: .portrait
            case .portraitUpsideDown: .portraitUpsideDown
            case .landscapeLeft: .landscapeLeft
            case .landscapeRight: .landscapeRight
            case .faceUp: .faceUp
            case .faceDown: .faceDown
            }
        try await change(.orientation(held))
    }

    /// The user takes a picture of the screen. The app that is on it hears of it at once, others never.
    public func takeScreenshot() async throws(TestDeviceError) { try await change(.screenshot) }

    /// The app that keeps the screen on, by `isIdleTimerDisabled`; `nil`: it may go dark.
    public var appKeepingScreenOn: String? {
        simulated.system.screenHolder.map { simulated.name(of: $0) }
    }

    /// Somebody changes what apps share under this name, such as `contacts`.
    public func changeSharedStore(_ name: String) async throws(TestDeviceError) { try await change(.changeStore(name)) }

    /// The user sets one of the app's settings outside of the app, which finds it in `UserDefaults.standard`; `nil`
    /// takes it back.
    public func setSetting(
        _ key: String, of app: InstalledApp, to value: String?
    ) async throws(TestDeviceError) {
        try await change(.setting(app.name, key: key, value: value))
    }

    private func change(_ input: Input) async throws(TestDeviceError) {
        try await perform(input)
        try await advance(by: .seconds(1))
    }
}
