/// A limit that an app can exceed.
package enum Limit: Hashable, Sendable, Codable {
    /// Process start to the return of `didFinishLaunching`, the connection included.
    case launch
    case callback(CallbackKind)
    /// A plain program that was asked to end with SIGTERM.
    case termination
    case mainThread
    /// The time for background tasks.
    case tasks
    /// The time for what the app was woken for.
    case window(WindowService)

    /// Apple's style of naming what was exceeded.
    package var name: String {
        switch self {
        case .launch: "scene-create"
        case .callback(let kind):
            switch kind {
            case .willFinishLaunching, .didFinishLaunching: "scene-create (\(kind.name))"
            case .didBecomeActive, .willEnterForeground, .openURL, .willResignActive, .didEnterBackground, .scene:
                "scene-update (\(kind.name))"
            case .willTerminate: "process-exit (willTerminate)"
            case .didReceiveMemoryWarning: "memory-warning"
            case .performFetch, .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents:
                "process-resume (\(kind.name))"
            }
        case .termination: "process-exit (SIGTERM)"
        case .mainThread: "main-thread"
        case .tasks: "background-task"
        case .window(let service): "background-window (\(service.name))"
        }
    }

    /// What the developer should change.
    package var advice: String {
        switch self {
        case .launch:
            "do less before didFinishLaunching returns, and connect with UIApplicationMain (or hello) at once"
        case .callback(let kind): "do the work of \(kind.name) elsewhere or later, and return at once"
        case .termination: "end when SIGTERM arrives"
        case .mainThread: "keep blocking work off the main thread"
        case .tasks: "end background tasks in time"
        case .window: "call the completion handler in time"
        }
    }
}

/// Why a process ends or ended.
package enum EndReason: Hashable, Sendable, Codable {
    case closedByUser
    case restartedByUser
    case uninstalled
    case systemShutdown
    /// It opts out of multitasking, or the device has none (L10).
    case exitsOnSuspend
    case exceeded(Limit, allowed: Span)
    case tooManyProcesses(count: Int32, limit: Int32)
    case tooManyMappings(count: Int32, limit: Int32)
    case mappingTooLarge(bytes: Int64, limit: Int64)
    case tooManyPurgeableObjects(count: Int32, limit: Int32)
    case ended(ExitStatus)
    case failedToLaunch(LaunchFailure)
    /// The process of an earlier system that this one knows nothing of.
    case stray
    case memory(MemoryEnd)
    /// It was suspended with a lock on a file that others may need (R11).
    case heldLock(path: String)
    case tasksNotEnded(TaskEnd)
    /// In the background, where the GPU is off limits (R10).
    case usedGPU(GPUUse)
    case windowNotCompleted(WindowEnd)
    /// It took the last room on the disk.
    case filledDisk(DiskUse)
}

/// Why an app ended for memory, with the numbers that it was decided by, in bytes.
package struct MemoryEnd: Hashable, Sendable, Codable {
    package enum Kind: UInt8, Hashable, Sendable, Codable {
        /// The device was short of memory, and it was next in order.
        case pageShortage
        /// The device was short of memory, and nothing but what is on screen was left.
        case nothingElse
        /// It had more than one app may have.
        case foregroundLimit, backgroundLimit, pictureLimit
    }

    package var kind: Kind
    package var footprint: Footprint
    package var limit: Int64?
    package var available: Int64
    package var budget: Int64

    package init(kind: Kind, footprint: Footprint, limit: Int64?, available: Int64, budget: Int64) {
        self.kind = kind
        self.footprint = footprint
        self.limit = limit
        self.available = available
        self.budget = budget
    }

    package var isOwnLimit: Bool {
        switch kind {
        case .pageShortage, .nothingElse: false
        case .foregroundLimit, .backgroundLimit, .pictureLimit: true
        }
    }

    /// The kernel's name for it on Apple's systems.
    package var jetsamReason: String { isOwnLimit ? "per-process-limit" : "vm-pageshortage" }

    func sentence(name: String, state: LifecycleState) -> String {
        let has = "\(name) had \(footprint.sentence) while \(state.name)"
        let room = "\(available.mebibytes) of \(budget.mebibytes) were available"
        switch kind {
        case .pageShortage:
            return "memory was short (\(jetsamReason)): \(room); \(has) and was the next to go"
        case .nothingElse:
            return "memory was short (\(jetsamReason)) and nothing but what is on screen was left: \(room); \(has)"
        case .foregroundLimit, .backgroundLimit, .pictureLimit:
            let place =
                kind == .foregroundLimit ? "on screen" : kind == .backgroundLimit ? "in the background" : "in a picture"
            return
                "too much memory (\(jetsamReason)): \(has); the limit \(place) is \((limit ?? 0).mebibytes) of dirty "
                + "memory: free what can be made anew when a memory warning comes"
        }
    }
}

extension Footprint {
    /// For people.
    package var sentence: String {
        "\(dirty.mebibytes) of dirty, \(purgeable.mebibytes) of purgeable and \(clean.mebibytes) of clean memory"
    }
}

extension Int64 {
    /// Bytes as people read them: `12.5 MB`, in units of 1,048,576 bytes.
    package var mebibytes: String {
        let tenths = (magnitude >> 20) * 10 + ((magnitude & (1 << 20 - 1)) * 10 + (1 << 19)) >> 20
        let sign = self < 0 ? "-" : ""
        return tenths >= 1000 || tenths % 10 == 0
            ? "\(sign)\(tenths / 10) MB" : "\(sign)\(tenths / 10).\(tenths % 10) MB"
    }
}

/// Why a process could not be started.
package struct LaunchFailure: Error, Hashable, Sendable, Codable {
    /// The step that failed, for example `execve`.
    package var stage: String
    package var errorNumber: Int32
    /// What the machine calls the error.
    package var message: String

    package init(stage: String, errorNumber: Int32, message: String) {
        self.stage = stage
        self.errorNumber = errorNumber
        self.message = message
    }
}

/// Namespace and code of a termination (the table is in `docs/TERMINATION.md`).
package struct TerminationCode: Hashable, Sendable, Codable {
    package var namespace: String
    package var code: UInt64

    package init(namespace: String, code: UInt64) {
        self.namespace = namespace
        self.code = code
    }

    package static let launchTooSlow = TerminationCode(namespace: "SPRINGBOARD", code: 0x8bad_f00d)
    package static let watchdog = TerminationCode(namespace: "WATCHDOG", code: 0x8bad_f00d)
    /// A background task that was not ended in time: of today, and as earlier systems reported it.
    package static let taskNotEnded = TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad2)
    package static let taskTooLong = TerminationCode(namespace: "SPRINGBOARD", code: 0x8bad_f00d)
    /// The completion handler of a fetch, or of a URL session's events, was not called in time.
    package static let fetchNotFinished = TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad4)
    package static let sessionEventsNotFinished = TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad3)
    package static let excessiveUse = TerminationCode(namespace: "RUNNINGBOARD", code: 0xd00d_2bad)
    /// Ours: the app could not be started, or ended before it had launched ("fail to run").
    package static let launchFailed = TerminationCode(namespace: "GREENROOM", code: 0xfa11_7042)
    /// Ours: too many mappings, or too large a one ("address abuse").
    package static let addressSpaceAbuse = TerminationCode(namespace: "GREENROOM", code: 0xadd5_ab5e)
    /// The kernel's numbers of these reasons on Apple's systems.
    package static let pageShortage = TerminationCode(namespace: "JETSAM", code: 4)
    package static let perProcessLimit = TerminationCode(namespace: "JETSAM", code: 7)
    /// "Dead lock": a file outside the app's own container was locked when it was suspended. Of a plain program, which
    /// goes on, a fault.
    package static let heldLock = TerminationCode(namespace: "RUNNINGBOARD", code: 0xdead_10cc)
    /// It took the last room on the disk ("bad disc").
    package static let diskFull = TerminationCode(namespace: "RUNNINGBOARD", code: 0xbadd_d15c)
    /// Ours: the GPU was used in the background ("off screen").
    package static let gpuOffScreen = TerminationCode(namespace: "GREENROOM", code: 0x0ff5_c2ee)
    /// Ours: every attempt to freeze it failed ("no freeze"). The app goes on.
    package static let cannotFreeze = TerminationCode(namespace: "GREENROOM", code: 0x0f4e_e2e0)
    /// Ours: suspended with a listening socket, so that nobody answers there ("dead ear"). The app goes on.
    package static let listensSuspended = TerminationCode(namespace: "GREENROOM", code: 0xdead_0ea2)
}

extension EndReason {
    /// The code of the report, `nil` when ending so is normal and silent (R3).
    package var code: TerminationCode? {
        switch self {
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend, .stray: nil
        case .exceeded(.launch, _), .exceeded(.callback, _), .exceeded(.termination, _): .launchTooSlow
        case .exceeded(.mainThread, _): .watchdog
        case .exceeded(.tasks, _), .exceeded(.window, _): .taskNotEnded
        case .tooManyProcesses: .excessiveUse
        case .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects: .addressSpaceAbuse
        case .ended(.exited(0)), .ended(.unknown): nil
        case .ended(.exited(let status)):
            TerminationCode(namespace: "EXIT", code: UInt64(UInt32(bitPattern: status)))
        case .ended(.signaled(let signal)):
            TerminationCode(namespace: "SIGNAL", code: UInt64(UInt32(bitPattern: signal)))
        case .ended(.outOfMemory): .pageShortage
        case .failedToLaunch: .launchFailed
        case .memory(let end): end.isOwnLimit ? .perProcessLimit : .pageShortage
        case .heldLock: .heldLock
        case .tasksNotEnded(let end): end.code
        case .usedGPU: .gpuOffScreen
        case .windowNotCompleted(let end): end.code
        case .filledDisk: .diskFull
        }
    }

    /// One sentence for people; `elapsed` is what the app took where a limit was exceeded.
    package func sentence(name: String, state: LifecycleState) -> String {
        switch self {
        case .closedByUser: "the user closed \(name)"
        case .restartedByUser: "the user restarted \(name)"
        case .uninstalled: "\(name) was uninstalled"
        case .systemShutdown: "the system shut down"
        case .exitsOnSuspend:
            "\(name) left the screen and does not take part in multitasking (UIApplicationExitsOnSuspend, or a device "
                + "without it)"
        case .exceeded(let limit, let allowed):
            "\(limit.name) watchdog transgression: \(name) exhausted real (wall clock) time allowance of "
                + "\(allowed.twoDigits) seconds while \(state.name); \(limit.advice)"
        case .tooManyProcesses(let count, let limit):
            "excessive use of resources: \(name) had \(count) processes while \(state.name), the limit is \(limit); "
                + "end child processes that are done"
        case .tooManyMappings(let count, let limit):
            "abuse of the address space: \(name) had \(count) mappings while \(state.name), the limit is \(limit); map a "
                + "few large regions or files, and unmap what is done with"
        case .mappingTooLarge(let bytes, let limit):
            "abuse of the address space: \(name) had a mapping of \(bytes.mebibytes) while \(state.name), the limit is "
                + "\(limit.mebibytes); map the part that is needed"
        case .tooManyPurgeableObjects(let count, let limit):
            "too many purgeable objects: \(name) had \(count) while \(state.name), the limit is \(limit); keep what is "
                + "used together in one NSPurgeableData"
        case .ended(.exited(let status)): "\(name) ended by itself with exit status \(status)"
        case .ended(.signaled(let signal)): "\(name) crashed: signal \(signal) (\(signalName(signal)))"
        case .ended(.outOfMemory):
            "the kernel ended \(name): the machine, or a cgroup around the system, had no memory left; greenroom doctor "
                + "names the limit"
        case .ended(.unknown): "\(name) ended; nobody could collect its exit status"
        case .failedToLaunch(let failure):
            "\(name) could not be launched: \(failure.stage): \(failure.message)"
        case .memory(let end): end.sentence(name: name, state: state)
        case .heldLock(let path):
            "a lock held during suspension: \(name) had \(path) locked, which is outside its container, when it was "
                + "suspended; close the file or finish the transaction before didEnterBackground returns, or begin a "
                + "background task before it and end that one after it"
        case .tasksNotEnded(let end): end.sentence(name: name)
        case .usedGPU(let use): use.sentence(name: name, state: state)
        case .windowNotCompleted(let end): end.sentence(name: name)
        case .filledDisk(let use): use.sentence(name: name, state: state)
        case .stray: "a process of an earlier system was left in the group of \(name)"
        }
    }
}

extension Span {
    /// Seconds with two digits, as in Apple's reports.
    package var twoDigits: String {
        let hundredths = (nanoseconds.magnitude + 5_000_000) / 10_000_000
        let rest = hundredths % 100
        let sign = nanoseconds < 0 && hundredths > 0 ? "-" : ""
        return "\(sign)\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

/// Signals by their usual names, as far as they end processes.
package enum Signal {
    private static let names: [(number: Int32, name: String)] = [
        (1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (4, "SIGILL"), (5, "SIGTRAP"), (6, "SIGABRT"), (7, "SIGBUS"),
        (8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (13, "SIGPIPE"), (14, "SIGALRM"), (15, "SIGTERM"),
        (24, "SIGXCPU"), (31, "SIGSYS"),
    ]

    package static var allNames: [String] { names.map(\.name) }

    package static func name(_ number: Int32) -> String? { names.first { $0.number == number }?.name }

    package static func number(_ name: String) -> Int32? { names.first { $0.name == name }?.number }
}

private func signalName(_ signal: Int32) -> String { Signal.name(signal) ?? "signal \(signal)" }
