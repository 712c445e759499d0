import Foundation
import Model
import Testing

/// The two documents that print what the code says: they are right, or these tests fail and print the right table.
@Suite("Documents that print the code") struct DocumentTests {
    private func document(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func seconds(_ span: Span) -> String {
        let text = span.twoDigits
        return (text.hasSuffix(".00") ? String(text.dropLast(3)) : text) + " s"
    }

    // MARK: Profiles

    private var profileTable: String {
        let profiles = DeviceProfile.all
        var lines = [row([""] + profiles.map { "`\($0.name)`" }), row(["---"] + profiles.map { _ in "---" })]
        func add(_ name: String, _ value: (DeviceProfile) -> String) {
            lines.append(row([name] + profiles.map(value)))
        }
        add("multitasking") { $0.hasMultitasking ? "yes" : "no: an app that leaves the screen ends" }
        add("apps beside each other, picture in picture") { $0.hasSplitScreen ? "yes" : "no" }
        add("locking (the front app)") {
            switch $0.locking {
            case .leavesInactive: "stays in the foreground, inactive"
            case .sendsToBackground: "goes to the background"
            }
        }
        add("expiration handlers run on") {
            switch $0.expirationThread {
            case .anyThread: "any thread"
            case .mainThread: "the main thread"
            }
        }
        add("start of the process → `didFinishLaunching` returned") { seconds($0.launchLimit) }
        for kind in CallbackKind.allCases where kind != .scene {
            add("`\(kind.name)`") { seconds($0.limit(for: kind)) }
        }
        add("SIGTERM (plain programs)") { seconds($0.callbackLimits.willTerminate) }
        add("main thread blocked") { seconds($0.mainThreadLimit) }
        add("background tasks, together") { $0.hasMultitasking ? seconds($0.tasks?.limit ?? .zero) : "none" }
        add("the same for an app woken for an event") {
            $0.hasMultitasking ? seconds($0.tasks?.windowLimit ?? .zero) : "none"
        }
        add("expiration handlers before the end") { $0.hasMultitasking ? seconds($0.tasks?.notice ?? .zero) : "–" }
        func window(_ limit: KeyPath<WindowRules, Span>) -> (DeviceProfile) -> String {
            { $0.hasMultitasking ? seconds($0.windowRules[keyPath: limit]) : "none" }
        }
        add("a background fetch", window(\.fetch))
        add("the events of a background URL session", window(\.sessionEvents))
        add("a refresh task", window(\.refresh))
        add("a processing task", window(\.processing))
        func launches(_ kind: BackgroundTaskRequest.Kind) -> (DeviceProfile) -> String {
            { profile in
                guard profile.hasMultitasking, let rules = profile.allowances?.launches(kind) else { return "none" }
                return "\(seconds(rules.pause)) apart, \(rules.daily) a day"
            }
        }
        add("launches of an app for refresh tasks", launches(.refresh))
        add("launches of an app for processing tasks", launches(.processing))
        func rate(_ rate: KeyPath<Allowances, Allowances.Rate>) -> (DeviceProfile) -> String {
            { $0.allowances.map { "\($0[keyPath: rate].count) in \(seconds($0[keyPath: rate].within))" } ?? "any" }
        }
        add("URLs that apps open, all together", rate(\.urls))
        add("log entries of what one app begins, ends and asks for", rate(\.entries))
        add("who takes longer for these") {
            $0.hasMultitasking ? $0.windowRules.overrun == .suspends ? "is suspended" : "is ended" : "–"
        }
        add("transfers of an app that the user closed") {
            $0.hasMultitasking ? $0.windowRules.closingEndsSessions ? "end" : "go on" : "–"
        }
        add("`performFetch` of an app that names tasks for `BGTaskScheduler`") {
            $0.hasMultitasking ? $0.windowRules.tasksReplaceFetch == true ? "is not called" : "is called" : "–"
        }
        add("connections of a suspended app stand for") {
            $0.hasMultitasking ? $0.socketRules.connectionLimit.map(seconds) ?? "ever" : "–"
        }
        add("a server of the mode `listen` goes on after its last peer for") {
            $0.hasMultitasking ? seconds($0.socketRules.grace) : "–"
        }
        add("cellular radio") { $0.cellularModel.name }
        add("low-power mode comes by itself, without a charger, at") {
            $0.power.map { "\($0.savesAt) %, until \($0.savesAt + $0.margin + 1) %" } ?? "no level"
        }
        add("protected files can be read after the lock for") { $0.protectsDataAfter.map(seconds) ?? "ever" }
        add("running apps are looked at every") { seconds($0.checkInterval) }
        add("processes of one app") { "\($0.processLimit)" }
        add("one attempt to freeze") { seconds($0.freezeLimit) }
        add("attempts until a report") { "\($0.freezeAttempts)" }
        return lines.joined(separator: "\n")
    }

    @Test("docs/PROFILES.md holds the table of the profiles that ship")
    func profiles() throws {
        let document = try document("PROFILES.md")
        #expect(document.contains(profileTable), "the table in docs/PROFILES.md should be:\n\(profileTable)")
    }

    // MARK: Terminations

    private static let limits: [Limit] =
        [.launch] + CallbackKind.allCases.filter { $0 != .scene }.map { .callback($0) } + [.termination, .mainThread]

    private func codeCells(_ code: TerminationCode) -> [String] {
        let hex = String(code.code, radix: 16)
        return [code.namespace, "`0x\(String(repeating: "0", count: max(0, 8 - hex.count)))\(hex)`", "\(code.code)"]
    }

    private var limitTable: String {
        var lines = [
            row(["limit", "namespace", "code", "decimal", "what to change"]), row(["---", "---", "---", "---", "---"]),
        ]
        for limit in Self.limits {
            guard let code = EndReason.exceeded(limit, allowed: .seconds(1)).code else { continue }
            lines.append(row(["\(limit.name)"] + codeCells(code) + [limit.advice]))
        }
        return lines.joined(separator: "\n")
    }

    @Test("docs/TERMINATION.md holds every limit with its code and advice")
    func limits() throws {
        let document = try document("TERMINATION.md")
        #expect(document.contains(limitTable), "the table of limits in docs/TERMINATION.md should be:\n\(limitTable)")
        for limit in Self.limits { #expect(EndReason.exceeded(limit, allowed: .zero).code != nil) }
    }

    @Test("docs/TERMINATION.md holds the code of every other end and fault")
    func codes() throws {
        let document = try document("TERMINATION.md")
        let failure = LaunchFailure(stage: "execve", errorNumber: 2, message: "")
        let codes = [
            EndReason.tooManyProcesses(count: 2, limit: 1).code, EndReason.tooManyMappings(count: 2, limit: 1).code,
            EndReason.failedToLaunch(failure).code, .cannotFreeze, EndReason.heldLock(path: "").code,
            .listensSuspended,
            EndReason.usedGPU(GPUUse(.context, driver: "")).code,
            EndReason.filledDisk(DiskUse(written: 0, free: 0)).code,
            .fetchNotFinished, .sessionEventsNotFinished,
        ]
        for code in codes {
            let cells = row(codeCells(try #require(code)))
            #expect(document.contains(cells.dropLast(1)), "docs/TERMINATION.md lacks \(cells)")
        }
        for (reason, namespace) in [(EndReason.ended(.exited(1)), "EXIT"), (.ended(.signaled(11)), "SIGNAL")] {
            #expect(reason.code?.namespace == namespace)
            #expect(document.contains("| \(namespace) |"), "docs/TERMINATION.md lacks \(namespace)")
        }
    }

    @Test("An exit status and a signal are their own code, as unsigned numbers")
    func statuses() {
        #expect(EndReason.ended(.exited(1)).code == TerminationCode(namespace: "EXIT", code: 1))
        #expect(EndReason.ended(.exited(-1)).code == TerminationCode(namespace: "EXIT", code: 0xffff_ffff))
        #expect(EndReason.ended(.signaled(11)).code == TerminationCode(namespace: "SIGNAL", code: 11))
    }

    @Test("What is normal ends without a report")
    func silent() {
        let reasons: [EndReason] = [
            .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend, .stray,
            .ended(.exited(0)), .ended(.unknown),
        ]
        for reason in reasons { #expect(reason.code == nil, "\(reason)") }
    }

    @Test("Every end has a sentence that names the app")
    func sentences() {
        let failure = LaunchFailure(stage: "execve", errorNumber: 2, message: "No such file or directory")
        let reasons: [EndReason] =
            [
                .closedByUser, .restartedByUser, .uninstalled, .exitsOnSuspend, .stray, .ended(.exited(3)),
                .ended(.signaled(6)), .ended(.signaled(64)), .ended(.unknown), .failedToLaunch(failure),
                .tooManyProcesses(count: 600, limit: 512), .tooManyMappings(count: 60_000, limit: 20_000),
                .mappingTooLarge(bytes: 1 << 40, limit: 1 << 36), .tooManyPurgeableObjects(count: 6_000, limit: 5_000),
                .heldLock(path: "/srv/notes.db"),
                .usedGPU(GPUUse(.commands, driver: "amdgpu")), .filledDisk(DiskUse(written: 1 << 30, free: 0)),
                .windowNotCompleted(WindowEnd(kind: .fetch, allowed: .seconds(30))),
                .windowNotCompleted(WindowEnd(kind: .processing("x"), allowed: .seconds(180))),
                .windowNotCompleted(
                    WindowEnd(kind: .sessionEvents(session: "x", authentication: false), allowed: .seconds(10))),
            ] + Self.limits.map { .exceeded($0, allowed: .seconds(5)) }
        for reason in reasons {
            let sentence = reason.sentence(name: "Journal", state: .background)
            #expect(sentence.contains("Journal"))
            #expect(!sentence.contains("Optional("))
            #expect(sentence.last != ".")
        }
        #expect(
            EndReason.exceeded(.callback(.didEnterBackground), allowed: .seconds(5)).sentence(
                name: "J", state: .inactive)
                == "scene-update (didEnterBackground) watchdog transgression: J exhausted real (wall clock) time allowance "
                + "of 5.00 seconds while inactive; do the work of didEnterBackground elsewhere or later, and return at once"
        )
    }
}
