internal import CQuiescence
internal import Foundation

/// The app that stories are about, and how a device with it is made.
@MainActor
struct Subject {
    /// With this seed.
    var make: (UInt64) throws -> (device: TestDevice, app: InstalledApp)
    var urlSchemes: [String] = []
    var isFetched = false
    /// What the app would show; `nil` if it cannot be told.
    var state: (InstalledApp) -> String? = { _ in nil }
    var touches: [String] = []
    var touch: (String, InstalledApp) async throws -> Void = { _, _ in }
}

/// A story on a device of its own: what happens, and what the app makes of it.
@MainActor
final class StoryRun {
    private let subject: Subject
    private let exploration: TestDevice.Exploration
    private let device: TestDevice
    private let app: InstalledApp
    private let complaints: Complaints

    private var entries = 0
    private var reports = 0
    /// How the app was when it was ended, until it is seen again.
    private var expected: String?
    /// What was left at the end of each visit to this process in which the user only looked.
    private var left = Left()

    private struct Left {
        var launch = 0
        var visits = 0
        var observers: [Int] = []
        var timers: [Int] = []
    }

    init(
        _ subject: Subject, _ seed: UInt64, _ exploration: TestDevice.Exploration, complaints: Complaints
    ) throws {
        self.subject = subject
        self.exploration = exploration
        self.complaints = complaints
        (device, app) = try subject.make(seed)
        complaints.forget()
    }

    var state: InstalledApp.State { app.state }

    /// Everything is taken down.
    func end() { device.end() }

    /// - Returns: what went wrong; `isRefused`: the device does not do this now.
    func perform(_ step: StoryStep) async -> (failure: Failure?, isRefused: Bool) {
        let (before, stateBefore) = (app.state, app.state == .suspended ? subject.state(app) : nil)
        let launches = app.launches
        var isRefused = false
        do {
            try await step.perform(on: device, subject, app)
        } catch TestDeviceError.neverRests {
            return (Failure(problem: .hang, reason: TestDeviceError.neverRests.description), false)
        } catch TestDeviceError.broken(let text) {
            return (Failure(problem: .greenroom, reason: TestDeviceError.broken(text).description), false)
        } catch {
            isRefused = true
        }
        let failure =
            terminated(endedBy: step) ?? unfinished() ?? misused()
            ?? lost(step, before: before, stateBefore, isNew: app.launches > launches) ?? leftBehind(step)
        return (failure.flatMap { exploration.ignored.contains($0.problem) ? nil : $0 }, isRefused)
    }

    // MARK: What can be wrong

    private func terminated(endedBy step: StoryStep) -> Failure? {
        let all = app.reports
        defer { reports = all.count }
        // What the story itself does to the app is no fault of it.
        let new = all.dropFirst(reports).filter { !($0.namespace == "SIGNAL" && step == .reclaim) }
        return new.first.map { report in
            let isOwn = report.namespace == "SIGNAL" || report.namespace == "EXIT"
            return Failure(
                problem: isOwn ? .crash : .termination, reason: report.reason,
                expectation: "#expect(app.reports.isEmpty)")
        }
    }

    private func unfinished() -> Failure? {
        let all = device.log
        defer { entries = all.count }
        let overrun = all.dropFirst(entries).first { $0.app == app.name && $0.event == "windowOverrun" }
        return overrun.map { entry in
            Failure(
                problem: .unfinished, reason: "\(app.name): \(entry.reason)",
                expectation: "#expect(!device.log.contains { $0.event == \"windowOverrun\" })")
        }
    }

    private func misused() -> Failure? {
        complaints.take(device).map { Failure(problem: .misuse, reason: $0) }
    }

    /// - Parameters:
    ///   - before: the state in which the app was.
    ///   - stateBefore: what it would have shown then, if it was suspended.
    ///   - isNew: the step has launched it.
    private func lost(
        _ step: StoryStep, before: InstalledApp.State, _ stateBefore: String?, isNew: Bool
    ) -> Failure? {
        // Whatever wakes it may change what it shows.
        if isNew, step != .open { expected = nil }
        if isNew, let then = expected, let now = subject.state(app) {
            expected = nil
            guard now != then else { return nil }
            return Failure(
                problem: .lostState,
                reason: "\(app.name) was ended while it was suspended, and is not as it was: then \(then), now \(now)",
                expectation: "// Here it is not as it was before: \(now)".replacing("\n", with: " "))
        }
        switch step {
        case .reclaim, .close, .reboot:
            if before == .suspended, app.state == .notRunning { expected = stateBefore }
        case .fetch, .transfers, .url, .touch, .pass: if app.state != .notRunning { expected = nil }
        default: break
        }
        return nil
    }

    /// Three times in a row is no cache that fills.
    private func leftBehind(_ step: StoryStep) -> Failure? {
        switch step {
        // What the user does may need more from then on.
        case .touch, .url: left = Left()
        default: break
        }
        if left.launch != app.launches { left = Left(launch: app.launches) }
        let visits = app.callbacks.count { $0 == .didBecomeActive }
        guard app.state == .suspended, visits > left.visits else { return nil }
        left.visits = visits
        left.observers.append(Int(quiescence_observers()))
        left.timers.append(device.pendingTimers)
        for (what, counts) in [
            ("observers of notifications", left.observers), ("timers that wait", left.timers),
        ] {
            let last = counts.suffix(4)
            guard last.count == 4, zip(last, last.dropFirst()).allSatisfy(<) else { continue }
            let text = last.map(String.init).joined(separator: ", ")
            return Failure(
                problem: .leftBehind,
                reason: "\(app.name) leaves more \(what) behind with every visit to it: \(text)",
                expectation: "// \(what): \(text)")
        }
        return nil
    }
}

/// What the frameworks object to, on standard error, and tasks that are ended without being there.
@MainActor
final class Complaints {
    private let file: FileHandle?
    private let mark: String
    private var strayEnds = 0

    /// - Parameter path: where standard error goes.
    init(path: String?) {
        file = path.flatMap { FileHandle(forReadingAtPath: $0) }
        mark = "\(ProcessInfo.processInfo.processName): "
    }

    func forget() {
        _ = try? file?.seekToEnd()
        strayEnds = 0
    }

    func take(_ device: TestDevice) -> String? {
        let ends = device.strayEnds
        defer { strayEnds = ends }
        if ends > strayEnds { return "endBackgroundTask(_:) was called for a task that has ended, or was never begun" }
        guard let data = try? file?.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(mark) }
            .map { String($0.dropFirst(mark.count)) }
    }
}
