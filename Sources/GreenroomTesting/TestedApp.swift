internal import Model
internal import Simulation
public import UIKit

/// The app whose code is tested.
@MainActor
public final class TestedApp<Delegate: UIApplicationDelegate>: InstalledApp {
    private let code: AppCode

    init(_ device: TestDevice, place: Int, name: String, code: AppCode) {
        self.code = code
        super.init(device, place: place, name: name)
    }

    /// The app's delegate; `nil` while the app does not run. Every launch has one of its own.
    public var delegate: Delegate? { code.application?.delegate as? Delegate }

    /// The app; `nil` while it does not run. `UIApplication.shared` is the same.
    public var application: UIApplication? { code.application }

    /// The app's folder, with `Documents` and the others: its home, and where Foundation looks while the device lives.
    public var container: URL { device.container }

    /// Calls the app's code as a person's touch would, and waits until all that it started has run.
    ///
    /// - Throws: `TestDeviceError` if the app does not run or is suspended, and what the closure throws.
    @discardableResult
    public func perform<Result>(_ body: (Delegate) throws -> Result) async throws -> Result {
        guard state != .suspended else {
            throw TestDeviceError.notRunning("\(name) is suspended, so nothing of it can be called: open it first")
        }
        guard let delegate else { throw TestDeviceError.notRunning("\(name) is not running: open it first") }
        device.commands += 1
        defer { device.commands -= 1 }
        let result = try body(delegate)
        try await device.settle()
        return result
    }

    /// From now on this method takes so long, for the device's clock; its code runs when it begins.
    public func prolong(_ callback: Callback, by duration: Duration) { code.durations[callback.kind] = duration.span }
}
