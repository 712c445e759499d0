internal import AppRuntime
internal import AudioClient
internal import AudioDevices
internal import AudioSimulation
internal import Foundation
internal import LocationClient
internal import LocationSimulation
internal import Model
internal import NotificationsSimulation
internal import Simulation
internal import Synchronization
internal import UserNotifications

/// A service of the simulated device, and its framework in the process of the tests, which the app's code uses.
@MainActor
protocol FrameworkService: AnyObject {
    typealias LinkMaker = @Sendable (any ServiceListener) -> any ServiceLink

    /// The service's name.
    nonisolated static var name: String { get }
    /// How it decides.
    nonisolated static var model: any ServiceModel.Type { get }

    /// A process of the app begins, and its framework reaches the service by this way.
    func begin(_ place: Int, on device: Device, _ link: @escaping LinkMaker)
    /// That process is gone.
    func end()
    /// The device is gone.
    func leave()

    /// When the framework does something by itself next.
    var nextMoment: Instant? { get }
    /// It does what it does by itself until then, that moment included.
    func advance(to moment: Instant)
}

extension FrameworkService {
    var name: String { Self.name }

    // One that only answers.
    func end() {}
    var nextMoment: Instant? { nil }
    func advance(to moment: Instant) {}
}

final class NotificationService: FrameworkService {
    nonisolated static let name = "notifications"
    nonisolated static var model: any ServiceModel.Type { SimulatedNotifications.self }

    func begin(_ place: Int, on device: Device, _ link: @escaping LinkMaker) { NotificationClient.shared.use(link) }
    func leave() { NotificationClient.shared.use(NotificationClient.system) }
}

final class LocationService: FrameworkService {
    nonisolated static let name = "location"
    nonisolated static var model: any ServiceModel.Type { SimulatedLocation.self }

    func begin(_ place: Int, on device: Device, _ link: @escaping LinkMaker) { LocationClient.shared.use(link) }
    // What its managers wanted to know went with the process.
    func end() { LocationClient.shared.reset() }
    func leave() { LocationClient.shared.use(LocationClient.system) }
}

/// What plays and records does it by the device's clock: on a `ClockedDevice` for each process, whose streams stand
/// still where the simulated sound server has none.
final class AudioService: FrameworkService {
    private struct Process {
        let place: Int
        weak var device: Device?
        let sound = ClockedDevice(keepsSamples: false)
        let start: Instant
        /// It was frozen until then.
        var frozenUntil: Instant?

        func seconds(_ moment: Instant) -> Double { Double((moment - start).nanoseconds) / 1e9 }
    }

    nonisolated static let name = "audio"
    nonisolated static var model: any ServiceModel.Type { SimulatedAudio.self }

    private var process: Process?
    /// What the microphone hears, by the second.
    var microphone: @Sendable (TimeInterval) -> Float = { _ in 0 }

    func begin(_ place: Int, on device: Device, _ link: @escaping LinkMaker) {
        let process = Process(place: place, device: device, start: device.now)
        self.process = process
        AudioClient.shared.use(link)
        AudioSubstitute.shared.use(process.sound)
    }

    // What played in it UIKit has ended.
    func end() { process = nil }

    func leave() {
        process = nil
        AudioClient.shared.use(AudioClient.system)
        AudioSubstitute.shared.use(nil)
    }

    // MARK: Time

    var nextMoment: Instant? {
        guard let process, let device = process.device, device.readiness(process.place) == .ready else { return nil }
        link(process, device)
        return process.sound.nextMoment.map { seconds in
            // Not before it: the clock would not get there.
            let nanoseconds = (seconds * 1e9).rounded(.down) + 1
            return max(device.now, process.start + Span(nanoseconds: Int64(nanoseconds)))
        }
    }

    func advance(to moment: Instant) {
        guard let process, let device = process.device else { return }
        switch device.readiness(process.place) {
        // What it would do is done on its main thread.
        case .busy, .gone: return
        case .frozen: self.process?.frozenUntil = moment
        case .ready:
            if let frozenUntil = process.frozenUntil {
                self.process?.frozenUntil = nil
                process.sound.sleep(to: process.seconds(frozenUntil))
            }
            link(process, device)
            process.sound.advance(to: process.seconds(moment))
            measure(process, device)
        }
    }

    /// Streams run where the sound server lets them.
    private func link(_ process: Process, _ device: Device) {
        let (outputs, inputs) = (process.sound.outputs, process.sound.inputs)
        guard !outputs.isEmpty || !inputs.isEmpty else { return }
        let app = device.apps[process.place].script.manifest.identifier
        let streams = device.logic(Self.name, as: SimulatedAudio.self)?.streams ?? []
        let linked = Set(streams.filter { $0.app == app }.compactMap(\.stream))
        for output in outputs { output.isLinked = linked.contains(output.setup.stream) }
        for input in inputs {
            input.isLinked = linked.contains(input.setup.stream)
            let (microphone, rate) = (microphone, Double(input.setup.rate))
            input.hear { microphone(Double($0) / rate) }
        }
    }

    /// The service looks at what really sounds.
    private func measure(_ process: Process, _ device: Device) {
        let levels = process.sound.outputs.compactMap { output in output.level.map { (output.setup.stream, $0) } }
        guard !levels.isEmpty else { return }
        let app = device.apps[process.place].script.manifest.identifier
        device.change(Self.name, as: SimulatedAudio.self) { audio in
            for (stream, level) in levels { audio.measured(level, of: stream, app) }
        }
    }
}
