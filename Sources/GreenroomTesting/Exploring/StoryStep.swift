internal import Foundation
internal import UIKit

/// Something that happens in a story.
enum StoryStep: Hashable, Codable, Sendable {
    case open, url(String), home
    case lock, unlock, sleep, wake
    case openSwitcher, closeSwitcher
    case interrupt(TestDevice.Interruption), dismiss(TestDevice.Interruption), accept(TestDevice.Interruption)
    case endCall
    case pass(seconds: Int)
    case warnMemory, reclaim
    case close
    case reboot
    case network(TestDevice.Network)
    case battery(Int, isCharging: Bool), lowPower(Bool), isHot(Bool)
    case fetch(launches: Bool)
    case transfers(String)
    case touch(String)
}

extension TestDevice.Interruption: Codable {
    private static let names: [String: Self] = ["call": .call, "sms": .sms, "alert": .alert]

    /// Reads it by its name.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let known = Self.names[name] else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no \(name)"))
        }
        self = known
    }

    /// Writes its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    var name: String {
        switch self {
        case .call: "call"
        case .sms: "sms"
        case .alert: "alert"
        }
    }
}

extension TestDevice.Network: Codable {}

// MARK: What is done

extension StoryStep {
    @MainActor
    func perform(on device: TestDevice, _ subject: Subject, _ app: InstalledApp) async throws {
        switch self {
        case .open: try await device.open(app)
        case .url(let text):
            guard let url = URL(string: text) else { throw TestDeviceError.refused("\(text) is no URL") }
            try await device.open(url)
        case .home: try await device.home()
        case .lock: try await device.lock()
        case .unlock: try await device.unlock()
        case .sleep: try await device.sleep()
        case .wake: try await device.wake()
        case .openSwitcher: try await device.openSwitcher()
        case .closeSwitcher: try await device.closeSwitcher()
        case .interrupt(let interruption): try await device.interrupt(by: interruption)
        case .dismiss(let interruption): try await device.dismiss(interruption)
        case .accept(let interruption): try await device.accept(interruption)
        case .endCall: try await device.endCall()
        case .pass(let seconds): try await device.advance(by: .seconds(seconds))
        case .warnMemory: try await device.sendMemoryWarning()
        case .reclaim: try await device.reclaimMemory(of: app)
        case .close: try await device.close(app)
        case .reboot: try await device.reboot()
        case .network(let network): try await device.setNetwork(network)
        case .battery(let percent, let isCharging): try await device.setBattery(percent, isCharging: isCharging)
        case .lowPower(let isOn): try await device.setLowPowerMode(isOn)
        case .isHot(let isHot): try await device.setThermalState(isHot ? .critical : .nominal)
        case .fetch(let launches): try await device.fetch(app, launching: launches)
        case .transfers(let session): try await device.endTransfers(of: app, session: session)
        case .touch(let name): try await subject.touch(name, app)
        }
    }

    /// The line of a test that does it.
    var source: String {
        let call =
            switch self {
            case .open: "device.open(app)"
            case .url(let text): "device.open(#require(URL(string: \(text.debugDescription))))"
            case .home: "device.home()"
            case .lock: "device.lock()"
            case .unlock: "device.unlock()"
            case .sleep: "device.sleep()"
            case .wake: "device.wake()"
            case .openSwitcher: "device.openSwitcher()"
            case .closeSwitcher: "device.closeSwitcher()"
            case .interrupt(let interruption): "device.interrupt(by: .\(interruption.name))"
            case .dismiss(let interruption): "device.dismiss(.\(interruption.name))"
            case .accept(let interruption): "device.accept(.\(interruption.name))"
            case .endCall: "device.endCall()"
            case .pass(let seconds): "device.advance(by: .seconds(\(seconds)))"
            case .warnMemory: "device.sendMemoryWarning()"
            case .reclaim: "device.reclaimMemory(of: app)"
            case .close: "device.close(app)"
            case .reboot: "device.reboot()"
            case .network(let network): "device.setNetwork(.\(network.rawValue))"
            case .battery(let percent, false): "device.setBattery(\(percent))"
            case .battery(let percent, true): "device.setBattery(\(percent), isCharging: true)"
            case .lowPower(let isOn): "device.setLowPowerMode(\(isOn))"
            case .isHot(let isHot): "device.setThermalState(.\(isHot ? "critical" : "nominal"))"
            case .fetch(false): "device.fetch(app)"
            case .fetch(true): "device.fetch(app, launching: true)"
            case .transfers(let session): "device.endTransfers(of: app, session: \(session.debugDescription))"
            case .touch(let name): "app.perform(touch\(Self.identifier(name)))  // the touch “\(name)”"
            }
        return "try await \(call)"
    }

    private static func identifier(_ name: String) -> String {
        name.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Shorter ones, and plainer ones, that may do as well.
    var simpler: [StoryStep] {
        switch self {
        case .pass(let seconds): Self.times.filter { $0 < seconds }.map { .pass(seconds: $0) }
        case .lock, .openSwitcher, .interrupt, .accept, .sleep: [.home]
        case .url, .unlock, .wake, .dismiss, .endCall, .closeSwitcher, .fetch(true): [.open]
        default: []
        }
    }

    /// Seconds that pass: within what limits allow, and beyond them.
    static let times = [1, 10, 40, 200, 700, 3600, 86_400]
}
