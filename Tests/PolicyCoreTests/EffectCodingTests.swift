import Model
import PolicyCore
import Testing

@Suite("The coding of effects") struct EffectCodingTests {
    private static let app = AppIndex(0)
    private static let generation = Generation(2)
    private static let other = Generation(3)

    private static func entry(
        _ event: LogEvent, _ reason: Reason, app: AppIndex? = AppIndex(0), took: Span? = nil, cause: UInt64? = 8
    ) -> LogEntry {
        LogEntry(
            sequence: LogSequence(9), at: WallTime(nanoseconds: 1_700_000_000_000_000_000), app: app, event: event,
            reason: reason, cause: cause.map { LogSequence($0) }, took: took)
    }

    /// A report that the Core made, with everything in it that one can have.
    private static let report: ReportFacts? = {
        var system = System(profile: .linux)
        var effects = system.handle(.installed(.test("slow")), at: .zero)
        effects += system.handle(.command(CommandID(1), .open(app, role: .primary, wait: false)), at: .zero)
        effects += system.handle(.processStarted(app, Generation(1), pid: 70), at: .zero)
        let late = Instant(nanoseconds: 20_000_000_000)
        for event in [Event.timer, .tracerChecked(app, Generation(1), isTraced: false)] {
            effects += system.handle(event, at: late)
        }
        effects += system.handle(.allProcessesEnded(app, Generation(1)), at: late)
        return effects.lazy.compactMap { if case .report(let facts) = $0.action { facts } else { nil } }.first
    }()

    private static var reports: [ReportFacts] {
        guard let report else { return [] }
        var all = [report]
        let changes: [(inout ReportFacts) -> Void] = [
            { $0.sequence = LogSequence(10) }, { $0.app = AppIndex(4) }, { $0.pid = nil },
            { $0.launchedAt?.nanoseconds += 1 },
            { $0.at = WallTime(nanoseconds: 6) }, { $0.code = .launchTooSlow },
            { $0.code.code = 1 }, { $0.reason = "" }, { $0.state = .active }, { $0.isVisible = true },
            { $0.limit = "" }, { $0.limit = nil }, { $0.allowed = nil }, { $0.elapsed = nil }, { $0.launchedAt = nil },
            { $0.elapsed = .zero },
            { $0.isTermination = false },
        ]
        for change in changes {
            var one = report
            change(&one)
            all.append(one)
        }
        return all
            + memoryEnds.map { end in
                var one = report
                one.memory = end
                return one
            }
    }

    private static let statuses: [Model.ExitStatus] = [.exited(0), .exited(9), .signaled(9), .unknown, .outOfMemory]

    private static let ends: [EndReason] =
        [
            .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend, .stray,
            .exceeded(.launch, allowed: .seconds(1)), .exceeded(.launch, allowed: .seconds(2)),
            .exceeded(.termination, allowed: .seconds(1)), .exceeded(.mainThread, allowed: .seconds(1)),
            .tooManyProcesses(count: 1, limit: 2), .tooManyProcesses(count: 2, limit: 1),
            .tooManyMappings(count: 1, limit: 2), .tooManyMappings(count: 2, limit: 1),
            .tooManyPurgeableObjects(count: 1, limit: 2),
            .heldLock(path: "a"), .heldLock(path: "b"), .usedGPU(GPUUse(.context, driver: "a")),
            .filledDisk(DiskUse(written: 1, free: 0)), .filledDisk(DiskUse(written: 0, free: 1)),
            .usedGPU(GPUUse(.commands, driver: "a")), .usedGPU(GPUUse(.context, driver: "b")),
            .mappingTooLarge(bytes: 1, limit: 2), .mappingTooLarge(bytes: 2, limit: 1),
            .failedToLaunch(LaunchFailure(stage: "execve", errorNumber: 2, message: "gone")),
            .failedToLaunch(LaunchFailure(stage: "execve", errorNumber: 13, message: "gone")),
            .failedToLaunch(LaunchFailure(stage: "execve", errorNumber: 2, message: "")),
        ] + memoryEnds.map { .memory($0) } + statuses.map { .ended($0) }
        + CallbackKind.allCases.map { .exceeded(.callback($0), allowed: .zero) }
        + [.exceeded(.tasks, allowed: .zero)] + TaskEffects.ends.map { .tasksNotEnded($0) } + WindowEffects.ends

    private static let memoryEnds: [MemoryEnd] = {
        let end = MemoryEnd(
            kind: .pageShortage, footprint: Footprint(dirty: 1, purgeable: 2, clean: 3), limit: nil, available: 4,
            budget: 5)
        let changes: [(inout MemoryEnd) -> Void] = [
            { $0.kind = .nothingElse }, { $0.kind = .foregroundLimit }, { $0.kind = .backgroundLimit },
            { $0.kind = .pictureLimit }, { $0.footprint.dirty = 9 }, { $0.footprint.purgeable = 9 },
            { $0.footprint.clean = 9 }, { $0.limit = 9 }, { $0.available = 9 }, { $0.budget = 9 },
        ]
        return [end]
            + changes.map { change in
                var one = end
                change(&one)
                return one
            }
    }()

    private static let memory: [Reason] =
        MemoryLevel.allCases.flatMap { [.memoryLevel($0, available: 1, budget: 2), .memorySimulated($0)] }
        + [
            .memoryLevel(.normal, available: 2, budget: 2), .memoryLevel(.normal, available: 1, budget: 3),
            .memoryTight(available: 1, budget: 2), .memoryTight(available: 2, budget: 2),
            .memoryTight(available: 1, budget: 3), .memoryReclaimed(bytes: 1), .memoryReclaimed(bytes: 2),
            .memoryLimit(name: "a", dirty: 1, limit: 2), .memoryLimit(name: "b", dirty: 1, limit: 2),
            .memoryLimit(name: "a", dirty: 2, limit: 2), .memoryLimit(name: "a", dirty: 1, limit: 3),
            .memoryNearLimit(name: "a", dirty: 1, limit: 2), .memoryNearLimit(name: "b", dirty: 1, limit: 2),
            .memoryNearLimit(name: "a", dirty: 2, limit: 2), .memoryNearLimit(name: "a", dirty: 1, limit: 3),
        ]

    private static let reasons: [Reason] =
        [
            .userOpened("a"), .userOpened("b"), .urlOpened(url: "a:", by: nil, app: "b"),
            .urlOpened(url: "a:", by: "", app: "b"), .urlOpened(url: "a:", by: "c", app: "b"), .userPressedHome,
            .userLocked, .userUnlocked, .userOpenedSwitcher, .userClosedSwitcher, .userClosed("a"),
            .userRestarted("a"), .exempted("a", true), .exempted("a", false), .callEnded, .deviceSlept, .deviceWoke,
            .deviceBooted, .systemShutDown, .daemonRestarted, .uninstalled("a"), .launchedAtBoot("a"),
            .launchedAgain("a"), .launchedAgain("b"),
            .nothingEntitles, .onScreenAgain, .wantedInBackground, .endRequested, .thawedFromOutside,
            .frozenFromOutside, .cannotFreeze(attempts: 5), .cannotFreeze(attempts: 6), .lockBlocks(path: "a"),
            .lockBlocks(path: "b"), .methodCalled(""), .methodCalled("a.b"), .answersCall(grace: .zero, limit: .zero),
            .answersCall(grace: .seconds(1), limit: .zero), .answersCall(grace: .zero, limit: .seconds(1)),
            .readsNoCalls(after: .zero), .readsNoCalls(after: .seconds(1)), .inputGrabbed(":0"), .inputGrabbed(":1"),
            .cachesEmptied(freed: 1, left: 0), .cachesEmptied(freed: 0, left: 1),
            .serviceUndeclared(key: "a"), .cannotAnswer([], count: 0),
            .cannotAnswer([Listener(name: "a", peers: 1)], count: 1),
            .cannotAnswer([Listener(name: "b", peers: 1)], count: 1),
            .cannotAnswer([Listener(name: "a", peers: 2)], count: 1),
            .cannotAnswer([Listener(name: "a", peers: 1)], count: 2), .doesNotAnswer(after: .zero),
            .doesNotAnswer(after: .seconds(1)), .peerConnected("a"), .peerConnected("b"), .answersPeers(grace: .zero),
            .answersPeers(grace: .seconds(1)), .peersRefused("a", count: 1), .peersRefused("b", count: 1),
            .peersRefused("a", count: 2), .connectionsClosed(count: 1, after: .zero),
            .descriptorsNearLimit(open: 1, limit: 2), .descriptorsNearLimit(open: 2, limit: 2),
            .descriptorsNearLimit(open: 1, limit: 3),
            .waitsForLower(PriorityInversion(thread: "a", rank: .nice, nice: 19)),
            .waitsForLower(PriorityInversion(thread: "b", rank: .nice, nice: 19)),
            .waitsForLower(PriorityInversion(thread: "a", app: "b", rank: .nice, nice: 19)),
            .waitsForLower(PriorityInversion(thread: "a", rank: .idle, nice: 19)),
            .waitsForLower(PriorityInversion(thread: "a", rank: .nice, nice: 1)),
            .connectionsClosed(count: 2, after: .zero), .connectionsClosed(count: 1, after: .seconds(1)),
        ]
        + InterruptionKind.allCases.flatMap {
            [.interruption($0), .interruptionDismissed($0), .interruptionAccepted($0)]
        }
        + CallbackKind.allCases.flatMap { kind in LifecycleState.allCases.map { Reason.onTheWay(kind, $0) } }
        + AssertionKind.allCases.map { Reason.assertion($0) }

    private static let endings: [Reason] =
        ends.map { .end($0, name: "a", state: .active) }
        + [.end(.closedByUser, name: "b", state: .active), .end(.closedByUser, name: "a", state: .background)]

    private static let refusals: [Refusal] =
        TaskEffects.refusals.map { .task($0) } + WindowEffects.refusals + SceneEffects.refusals + [
            .unknownApp, .notRunning("a"), .notRunning("b"), .deviceLocked, .deviceAsleep, .noHandler(scheme: "a"),
            .malformedURL("a"), .notInForeground, .noCall, .shuttingDown, .missingBackgroundMode("a"),
            .takesNoSettings("a"), .takesNoSettings("b"), .tooManySettings("a", limit: 1),
            .tooManySettings("a", limit: 2), .leftTheScreen("a"), .ended("a"),
            .roleUnavailable(.pip, profile: "x"),
        ]
        + InterruptionKind.allCases.flatMap { [.interrupted($0), .noSuchInterruption($0), .cannotAccept($0)] }
        + ScreenRole.allCases.map { .roleUnavailable($0, profile: "a") }

    private static let callbacks: [[Callback]] = [
        [], [Callback(number: CallbackNumber(1), kind: .didBecomeActive)],
        [Callback(number: CallbackNumber(2), kind: .didBecomeActive)],
        [Callback(number: CallbackNumber(1), kind: .didFinishLaunching, isBackground: true)],
        [Callback(number: CallbackNumber(1), kind: .openURL, options: LaunchOptions(url: "a:"))],
        [Callback(number: CallbackNumber(1), kind: .openURL, options: LaunchOptions(sourceApplication: "a:"))],
        [Callback(number: CallbackNumber(1), kind: .openURL, options: LaunchOptions(service: .audio))],
        [Callback(number: CallbackNumber(1), kind: .openURL, options: LaunchOptions(service: ["heard"]))],
        [
            Callback(
                number: CallbackNumber(1), kind: .didFinishLaunching,
                options: LaunchOptions(notification: LaunchNotification.local(payload: "a")))
        ],
        [
            Callback(
                number: CallbackNumber(1), kind: .didFinishLaunching,
                options: LaunchOptions(notification: LaunchNotification.remote(payload: "a")))
        ],
        [
            Callback(number: CallbackNumber(1), kind: .willEnterForeground),
            Callback(number: CallbackNumber(2), kind: .didBecomeActive),
        ],
        [Callback(number: CallbackNumber(1), kind: .didReceiveMemoryWarning, memoryLevel: .warning)],
        [Callback(number: CallbackNumber(1), kind: .didReceiveMemoryWarning, memoryLevel: .critical)],
    ]

    private static let simple: [Action] =
        [
            .launch(app, generation, isBackground: false), .launch(app, generation, isBackground: true),
            .check(app, generation, pingsMainThread: true), .check(app, generation, pingsMainThread: false), .halt,
            .senseMemory, .measureDisk, .emptyCaches(app), .emptyCaches(AppIndex(app.rawValue + 1)),
            .log(entry(.launched, .userPressedHome, app: nil)), .log(entry(.launched, .userPressedHome, cause: nil)),
            .log(entry(.launched, .userPressedHome, took: .zero)),
            .log(entry(.launched, .userPressedHome, took: .seconds(1))),
            .reply(app, RequestID(1), .done), .reply(app, RequestID(2), .done),
            .reply(app, RequestID(1), .noted), .reply(app, RequestID(1), .canOpen(true)),
            .reply(app, RequestID(1), .canOpen(false)),
            .answer(CommandID(1), .done(app: nil)), .answer(CommandID(1), .done(app: app)),
            .answer(CommandID(2), .done(app: nil)),
        ]
        + [generation, other].flatMap { generation -> [Action] in
            [
                .checkTracer(app, generation), .prepare(app, generation), .freeze(app, generation),
                .verify(app, generation), .thaw(app, generation), .askToEnd(app, generation), .kill(app, generation),
                .kill(AppIndex(4), generation), .sample(app, generation),
                .mechanism(Incarnation(app, generation), .snapshots(.take)),
                .reclaim(app, generation, isFrozen: true), .reclaim(app, generation, isFrozen: false),
                .mechanism(Incarnation(app, generation), .sockets(.guardListeners(wakes: true))),
                .mechanism(Incarnation(app, generation), .sockets(.guardListeners(wakes: false))),
                .mechanism(Incarnation(app, generation), .sockets(.look)),
                .mechanism(Incarnation(app, generation), .sockets(.closeConnections)),
            ] + AppPriority.allCases.map { .setPriority(app, generation, $0) }
        }

    static let actions: [Action] =
        simple + ConditionEffects.actions(app, generation, other) + TaskEffects.actions(app, generation, other)
        + callbacks.map { .deliver(app, generation, $0) } + WindowEffects.actions(app, generation, other)
        + SceneEffects.actions(app, generation)
        + reports.map { .report($0) }
        + ServiceSamples.actions
        + LogEvent.allCases.map { .log(entry($0, .nothingEntitles)) }
        + (reasons + memory + endings + TaskEffects.reasons + ConditionEffects.reasons + WindowEffects.reasons
        + ServiceSamples.reasons + SceneEffects.reasons).map {
            .log(entry(.terminated, $0))
        }
        + refusals.flatMap {
            [
                .reply(app, RequestID(1), .refused($0)), .answer(CommandID(1), .refused($0)),
                .answer(CommandID(1), .overtaken($0)),
            ]
        }

    private static let effects = Set(actions.flatMap { [Effect($0), Effect($0, cause: LogSequence(7))] })

    private func encode(_ effect: Effect) -> [UInt8] {
        var writer = ByteWriter()
        effect.encode(into: &writer)
        return writer.bytes
    }

    @Test("Different effects have different bytes and different digests")
    func distinct() {
        #expect(Set(Self.effects.map(\.kind)) == Set(EffectKind.all), "an effect is not tested")
        #expect(Set(Self.effects.map(encode)).count == Self.effects.count)
        #expect(Set(EffectKind.all).count == EffectKind.all.count, "two kinds have one number")
        // A digest of 32 bits may collide, but not among the few hundred here.
        #expect(Set(Self.effects.map { EffectMark($0).digest }).count == Self.effects.count)
    }

    @Test("No effect's bytes are the beginning of another's, so that a row of them can be told apart")
    func prefixFree() {
        let all = Self.effects.map(encode).sorted { $0.lexicographicallyPrecedes($1) }
        for (one, next) in zip(all, all.dropFirst()) {
            // What comes right behind an effect without anything is an effect with something.
            #expect(!next.starts(with: one), "\(one) and \(next)")
        }
    }

    @Test("The bytes and the digests of effects are for ever: recordings hold them")
    func pinned() {
        let launched = Self.entry(.terminated, .end(.ended(.signaled(11)), name: "Radio", state: .active))
        let log = Effect(.log(launched), cause: LogSequence(300))
        #expect(
            encode(log) == [
                1, 1, 172, 2, 9, 128, 128, 208, 226, 198, 191, 206, 151, 47, 1, 0, 4, 32, 5, 82, 97, 100, 105, 111, 2,
                8, 1, 22, 1, 8, 0,
            ])
        #expect(EffectMark(log) == EffectMark(kind: 1, digest: 1_371_748_402))
        #expect(EffectMark(Effect(.halt)) == EffectMark(kind: 16, digest: 992_088_208))
        let long = Effect(.answer(CommandID(1), .refused(.malformedURL("nineteen characters"))))
        #expect(EffectMark(long) == EffectMark(kind: 15, digest: 1_491_055_028))
    }
}
