internal import CQuiescence
internal import Foundation
internal import Glibc
internal import Model
internal import Simulation
public import UIKit

// Stories that nobody has thought of.
extension TestDevice {
    /// Drives the app through stories made at random, and gives the shortest one that it does not stand.
    ///
    ///     let device = try TestDevice(.iOS7)
    ///     try device.install(AppDelegate.self, identifier: "org.example.journal", urlSchemes: ["journal"])
    ///     #expect(try await device.explore(seed: 7) == nil)
    ///
    /// Each story begins with a device as this one was when it was made, and the same apps, newly installed. What can
    /// happen next is drawn: the app is opened and left, interrupted, fetched, ended for its memory and launched again,
    /// time passes beyond every limit, and so on (`Exploration.Event`). What is looked for is in `Finding.Problem`.
    /// A finding holds the source of a test that fails in the same way.
    ///
    /// The same seed tells the same stories, as far as the app does the same each time. They are told by other
    /// processes, which run this test again up to this call, so that an app that crashes or hangs ends only one of
    /// them: what the test does before this call, it does in each.
    ///
    /// This device is over afterwards; what happened on it counts for nothing.
    ///
    /// - Parameters:
    ///   - seed: draws the stories.
    ///   - exploration: what happens in them, and how many there are.
    /// - Returns: `nil` if the app stood all stories.
    /// - Throws: `TestDeviceError` if no app is installed, or the stories could not be told.
    public func explore(
        seed: UInt64, _ exploration: Exploration = Exploration(), fileID: String = #fileID, line: Int = #line
    ) async throws(TestDeviceError) -> Finding? {
        try await explore(subject(), seed, exploration, "\(fileID):\(line)")
    }

    /// Drives an app through stories, and tells whether it comes back as it was left.
    ///
    ///     let finding = try await device.explore(
    ///         journal, seed: 7, touches: ["write": { $0.journal.write("a line") }],
    ///         state: { $0.journal.screen })
    ///
    /// - Parameters:
    ///   - app: the app whose code is tested.
    ///   - seed: draws the stories.
    ///   - exploration: what happens in them, and how many there are.
    ///   - touches: what the user may do in the app while it is in front, by a name.
    ///   - state: what the user would see, or what else must not be lost. It is compared where the system ended the
    ///     suspended app and the user opens it again, with nothing in between.
    /// - Returns: `nil` if the app stood all stories.
    /// - Throws: `TestDeviceError` if the stories could not be told.
    public func explore<Delegate: UIApplicationDelegate, State>(
        _ app: TestedApp<Delegate>, seed: UInt64, _ exploration: Exploration = Exploration(),
        touches: [String: (Delegate) throws -> Void] = [:], state: @escaping (Delegate) -> State,
        fileID: String = #fileID, line: Int = #line
    ) async throws(TestDeviceError) -> Finding? {
        var subject = try subject()
        subject.state = { ($0 as? TestedApp<Delegate>)?.delegate.map { "\(state($0))" } }
        subject.touches = touches.keys.sorted()
        subject.touch = { name, app in
            guard let app = app as? TestedApp<Delegate>, let touch = touches[name] else { return }
            try await app.perform { delegate in
                // What the app's code throws is for the app to handle.
                try? touch(delegate)
            }
        }
        return try await explore(subject, seed, exploration, "\(fileID):\(line)")
    }

    private func subject() throws(TestDeviceError) -> Subject {
        guard !hasEnded else { throw .deviceEnded }
        guard let script = codeScript else { throw .notRunning("there is no app on the device: install one first") }
        let (profile, installations) = (profile, installations)
        return Subject(
            make: { seed in
                let device = try TestDevice(profile, seed: seed, virtualizesTime: true)
                var made: InstalledApp?
                for install in installations { made = try install(device) ?? made }
                guard let made else { throw TestDeviceError.notRunning("the app could not be installed again") }
                return (device, made)
            }, urlSchemes: script.manifest.urlSchemes, isFetched: script.isFetched(on: simulated.profile))
    }

    /// How often a call was made with the same arguments: a loop calls from one line.
    private static var calls: [String: Int] = [:]

    private func explore(
        _ subject: Subject, _ seed: UInt64, _ exploration: Exploration, _ place: String
    ) async throws(TestDeviceError) -> Finding? {
        let source = StorySource(self)
        end()
        var call = "\(place) \(profile) \(seed) \(source.name)"
        let count = TestDevice.calls[call, default: 0]
        TestDevice.calls[call] = count + 1
        call += " \(count)"
        if let telling = Telling.own {
            guard telling.call == call else { return nil }
            quiescence_end_with_parent()
            do {
                try await Teller(telling, subject, exploration).tell()
            } catch let error as TestDeviceError {
                throw error
            } catch {
                throw .unsupported("\(error)")
            }
            // Nothing that is meant for the end of a test's process is to happen.
            _exit(0)
        }
        return try await Explorer(call: call, exploration: exploration).explore(seed: seed).map {
            source.finding($0, seed: seed)
        }
    }
}

extension AppScript {
    /// An app with tasks is not fetched since iOS 13.
    fileprivate func isFetched(on profile: DeviceProfile) -> Bool {
        let isReplaced = profile.windowRules.tasksReplaceFetch == true && !manifest.taskIdentifiers.isEmpty
        return manifest.backgroundModes.contains(.fetch) && !isReplaced
    }
}
