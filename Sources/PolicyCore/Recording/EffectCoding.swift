internal import Model

// The stable form of effects: a kind, then the payload. As with events, numbers are never given to another case; a new
// case gets a new number. Recordings hold digests of this form, so that a replay can compare without storing effects.

/// What an effect is, in a recording.
package struct EffectKind: Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package init(_ own: Own) { rawValue = own.rawValue }

    package var name: String {
        Own(rawValue: rawValue).map { "\($0)" } ?? MechanismAction.name(of: rawValue)
            ?? ServiceAction.Tag(rawValue: rawValue).map { "\($0)" } ?? "an effect of kind \(rawValue)"
    }

    /// Those of the Core itself.
    package enum Own: UInt8, CaseIterable {
        case log = 1
        case report, launch, deliver, check, checkTracer, prepare, freeze, verify, thaw, askToEnd, kill
        // 13 was stopService.
        case reply = 14, answer, halt, sample, reclaim, senseMemory, expireTasks, tellConditions, setPriority
        // 23 to 26 are those of mechanisms.
        case expireWindow = 27
        // 28 to 30 are those of services.
        case measureDisk = 31, emptyCaches
    }

    /// All that there are.
    package static var all: [EffectKind] {
        Own.allCases.map { EffectKind($0) } + MechanismAction.tags.map { EffectKind(rawValue: $0) }
            + ServiceAction.Tag.allCases.map { EffectKind(rawValue: $0.rawValue) }
    }
}

extension Effect {
    package var kind: EffectKind {
        switch action {
        case .log: EffectKind(.log)
        case .report: EffectKind(.report)
        case .launch: EffectKind(.launch)
        case .deliver: EffectKind(.deliver)
        case .check: EffectKind(.check)
        case .checkTracer: EffectKind(.checkTracer)
        case .prepare: EffectKind(.prepare)
        case .freeze: EffectKind(.freeze)
        case .verify: EffectKind(.verify)
        case .thaw: EffectKind(.thaw)
        case .askToEnd: EffectKind(.askToEnd)
        case .kill: EffectKind(.kill)
        case .reply: EffectKind(.reply)
        case .answer: EffectKind(.answer)
        case .halt: EffectKind(.halt)
        case .sample: EffectKind(.sample)
        case .reclaim: EffectKind(.reclaim)
        case .senseMemory: EffectKind(.senseMemory)
        case .expireTasks: EffectKind(.expireTasks)
        case .tellConditions: EffectKind(.tellConditions)
        case .setPriority: EffectKind(.setPriority)
        case .expireWindow: EffectKind(.expireWindow)
        case .measureDisk: EffectKind(.measureDisk)
        case .emptyCaches: EffectKind(.emptyCaches)
        case .mechanism(_, let action): EffectKind(rawValue: action.tag)
        case .service(let action): EffectKind(rawValue: action.tag.rawValue)
        }
    }

    package func encode(into sink: inout some FieldSink) {
        sink.write(kind.rawValue)
        sink.write(cause)
        switch action {
        case .log(let entry): sink.write(entry)
        case .report(let facts): sink.write(facts)
        case .launch(let app, let generation, let isBackground):
            sink.write(app, generation)
            sink.write(isBackground)
        case .deliver(let app, let generation, let callbacks):
            sink.write(app, generation)
            sink.write(UInt64(callbacks.count))
            for callback in callbacks { sink.write(callback) }
        case .check(let app, let generation, let pings):
            sink.write(app, generation)
            sink.write(pings)
        case .checkTracer(let app, let generation), .prepare(let app, let generation),
            .freeze(let app, let generation), .verify(let app, let generation), .thaw(let app, let generation),
            .askToEnd(let app, let generation), .kill(let app, let generation), .sample(let app, let generation):
            sink.write(app, generation)
        case .reclaim(let app, let generation, let isFrozen):
            sink.write(app, generation)
            sink.write(isFrozen)
        case .mechanism(let incarnation, var action):
            sink.write(incarnation.app, incarnation.generation)
            action.fields(&sink)
        case .service(let action): action.encode(into: &sink)
        case .expireTasks(let app, let generation, let expiration):
            sink.write(app, generation)
            sink.write(expiration)
        case .expireWindow(let app, let generation, let window, let left):
            sink.write(app, generation)
            sink.write(window.rawValue)
            sink.write(left.nanoseconds)
        case .tellConditions(let app, let generation, let conditions):
            sink.write(app, generation)
            sink.write(conditions)
        case .setPriority(let app, let generation, let priority):
            sink.write(app, generation)
            sink.write(priority.rawValue)
        case .reply(let app, let id, let reply):
            sink.write(UInt64(app.rawValue))
            sink.write(id.rawValue)
            sink.write(reply)
        case .answer(let id, let answer):
            sink.write(id.rawValue)
            sink.write(answer)
        case .emptyCaches(let app): sink.write(UInt64(app.rawValue))
        case .halt, .senseMemory, .measureDisk: break
        }
    }
}

extension FieldSink {
    fileprivate mutating func write(_ app: AppIndex, _ generation: Generation) {
        write(UInt64(app.rawValue))
        write(UInt64(generation.rawValue))
    }

    fileprivate mutating func write(_ sequence: LogSequence?) {
        write(sequence != nil)
        if let sequence { write(sequence.rawValue) }
    }

    private mutating func write(_ text: String?) {
        write(text != nil)
        if let text { write(text) }
    }

    private mutating func write(_ span: Span?) {
        write(span != nil)
        if let span { write(span.nanoseconds) }
    }

    private mutating func write(_ app: AppIndex?) {
        write(app != nil)
        if let app { write(UInt64(app.rawValue)) }
    }

    fileprivate mutating func write(_ callback: Callback) {
        write(callback.number.rawValue)
        write(callback.kind.rawValue)
        write(callback.options.url)
        write(callback.options.sourceApplication)
        write(callback.options.service.mask)
        for key in callback.options.service.otherKeys { write(key) }
        if let notification = callback.options.notification {
            write(notification.key)
            write(notification.payload)
        }
        write(callback.isBackground)
        write(callback.memoryLevel.rawValue)
        if callback.kind.opensWindow { write(callback.window) }
        if let scene = callback.scene { write(scene) }
    }

    fileprivate mutating func write(_ entry: LogEntry) {
        write(entry.sequence.rawValue)
        write(entry.at.nanoseconds)
        write(entry.app)
        write(entry.event.rawValue)
        write(entry.reason)
        write(entry.cause)
        write(entry.took)
    }

    fileprivate mutating func write(_ facts: ReportFacts) {
        write(facts.sequence.rawValue)
        write(UInt64(facts.app.rawValue))
        write(facts.pid != nil)
        if let pid = facts.pid { write(Int64(pid)) }
        write(facts.at.nanoseconds)
        write(facts.code.namespace)
        write(facts.code.code)
        write(facts.reason)
        write(facts.state.rawValue)
        write(facts.isVisible)
        write(facts.limit)
        write(facts.allowed)
        write(facts.elapsed)
        write(facts.launchedAt != nil)
        if let launchedAt = facts.launchedAt { write(launchedAt.nanoseconds) }
        if let memory = facts.memory {
            write(UInt8(facts.isTermination ? 2 : 3))
            write(memory)
        } else {
            write(facts.isTermination)
        }
    }

    // MARK: Answers

    fileprivate mutating func write(_ reply: AppReply) {
        switch reply {
        case .done: write(UInt8(1))
        case .canOpen(let can):
            write(UInt8(2))
            write(can)
        case .refused(let refusal):
            write(UInt8(3))
            write(refusal)
        case .taskBegan(let remaining):
            write(UInt8(4))
            write(remaining)
        case .taskEnded: write(UInt8(5))
        case .remaining(let remaining):
            write(UInt8(6))
            write(remaining)
        case .noted: write(UInt8(8))
        case .pendingTasks(let requests):
            write(UInt8(13))
            write(requests)
        case .scene(let scene):
            write(UInt8(14))
            write(UInt64(scene.rawValue))
        }
    }

    fileprivate mutating func write(_ answer: Answer) {
        switch answer {
        case .done(let app):
            write(UInt8(1))
            write(app)
        case .refused(let refusal):
            write(UInt8(2))
            write(refusal)
        case .overtaken(let refusal):
            write(UInt8(3))
            write(refusal)
        }
    }

    private mutating func write(_ refusal: Refusal) {
        switch refusal {
        case .unknownApp: write(UInt8(1))
        case .notRunning(let name): write(2, name)
        case .deviceLocked: write(UInt8(3))
        case .deviceAsleep: write(UInt8(4))
        case .interrupted(let kind): write(5, kind.rawValue)
        case .noHandler(let scheme): write(6, scheme)
        case .malformedURL(let url): write(7, url)
        case .notInForeground: write(UInt8(8))
        case .roleUnavailable(let role, let profile):
            write(9, role.rawValue)
            write(profile)
        case .noSuchInterruption(let kind): write(10, kind.rawValue)
        case .cannotAccept(let kind): write(11, kind.rawValue)
        case .noCall: write(UInt8(12))
        case .shuttingDown: write(UInt8(13))
        case .missingBackgroundMode(let key): write(14, key)
        // 15 ended an unused service.
        case .leftTheScreen(let name): write(16, name)
        case .ended(let sentence): write(17, sentence)
        case .takesNoSettings(let name): write(70, name)
        case .tooManySettings(let name, let limit):
            write(71, name)
            write(Int64(limit))
        case .task(let refusal):
            write(UInt8(18))
            write(refusal)
        case .backgroundTask(let refusal):
            write(UInt8(76))
            write(refusal)
        case .notWoken(let name, let obstacle):
            write(77, name)
            write(obstacle)
        case .takesNoFetch(let name): write(78, name)
        case .tooManyURLs(let limit, let span):
            write(UInt8(79))
            write(Int64(limit))
            write(span.nanoseconds)
        case .noScenes(let name): write(120, name)
        case .oneScene(let name): write(121, name)
        case .unknownScene(let name, let scene):
            write(122, name)
            write(UInt64(scene.rawValue))
        case .tooManyScenes(let name, let limit):
            write(123, name)
            write(Int64(limit))
        }
    }

    mutating func write(_ tag: UInt8, _ inversion: PriorityInversion) {
        write(tag, inversion.thread)
        write(inversion.app)
        write(inversion.rank.rawValue)
        write(Int64(inversion.nice))
    }

    mutating func write(_ tag: UInt8, _ text: String) {
        write(tag)
        write(text)
    }

    mutating func write(_ tag: UInt8, _ number: UInt8) {
        write(tag)
        write(number)
    }

    // MARK: Reasons

    private mutating func writeService(_ reason: Reason) {
        switch reason {
        case .heldByService(let service, let sentence):
            write(90, service)
            write(sentence)
        case .serviceGone(let service): write(91, service)
        case .serviceDidNotStop(let service, let span):
            write(92, service)
            write(span.nanoseconds)
        case .openedByService(let name, let because):
            write(94, name)
            write(because)
        case .notedByService(let service, let sentence):
            write(95, service)
            write(sentence)
        default: break
        }
    }

    private mutating func write(_ reason: Reason) {
        switch reason {
        case .userOpened(let name): write(1, name)
        case .urlOpened(let url, let by, let app):
            write(2, url)
            write(by)
            write(app)
        case .userPressedHome: write(UInt8(3))
        case .userLocked: write(UInt8(4))
        case .userUnlocked: write(UInt8(5))
        case .userOpenedSwitcher: write(UInt8(6))
        case .userClosedSwitcher: write(UInt8(7))
        case .userClosed(let name): write(8, name)
        case .userRestarted(let name): write(9, name)
        case .exempted(let name, let isExempt):
            write(10, name)
            write(isExempt)
        case .interruption(let kind): write(11, kind.rawValue)
        case .interruptionDismissed(let kind): write(12, kind.rawValue)
        case .interruptionAccepted(let kind): write(13, kind.rawValue)
        case .callEnded: write(UInt8(14))
        case .deviceSlept: write(UInt8(15))
        case .deviceWoke: write(UInt8(16))
        case .deviceBooted: write(UInt8(17))
        case .systemShutDown: write(UInt8(18))
        case .daemonRestarted: write(UInt8(19))
        case .uninstalled(let name): write(20, name)
        case .launchedAtBoot(let name): write(21, name)
        case .launchedAgain(let name): write(96, name)
        case .onTheWay(let callback, let state):
            write(22, callback.rawValue)
            write(state.rawValue)
        case .scene, .sceneOpened, .sceneClosed, .sceneWanted: writeScene(reason)
        case .nothingEntitles: write(UInt8(23))
        case .assertion(let kind): write(24, kind.rawValue)
        case .onScreenAgain: write(UInt8(25))
        case .wantedInBackground: write(UInt8(26))
        case .endRequested: write(UInt8(27))
        case .thawedFromOutside: write(UInt8(28))
        case .frozenFromOutside: write(UInt8(29))
        case .cannotFreeze(let attempts): write(30, attempts)
        case .serviceUndeclared(let key): write(31, key)
        case .heldByService, .serviceGone, .openedByService, .serviceDidNotStop, .notedByService:
            writeService(reason)
        case .descriptorsNearLimit(let open, let limit):
            write(UInt8(93))
            write(open)
            write(limit)
        case .waitsForLower(let inversion): write(110, inversion)
        case .end(let reason, let name, let state):
            write(32, name)
            write(state.rawValue)
            write(reason)
        case .memoryLevel, .memorySimulated, .memoryTight, .memoryReclaimed, .memoryLimit, .memoryNearLimit,
            .cachesEmptied:
            writeMemory(reason)
        case .lockBlocks(let path): write(60, path)
        case .inputGrabbed(let display): write(116, display)
        case .conditionChanged, .changedMeanwhile, .settingChanged, .savesPower, .protectedDataUnavailable,
            .keepsScreenOn:
            writeChange(reason)
        case .cannotAnswer, .doesNotAnswer, .peerConnected, .answersPeers, .peersRefused, .connectionsClosed,
            .methodCalled, .answersCall, .readsNoCalls:
            writeSockets(reason)
        case .taskBegan, .finishesTask, .taskEnded, .tasksExpire, .taskRefused: writeTask(reason)
        case .woken, .usesWindow, .windowCompleted, .windowExpires, .windowOverrun, .notWoken, .taskSubmitted,
            .taskCancelled, .taskRequestRefused, .refreshAllowed, .omitsEntries, .omittedEntries:
            writeWindow(reason)
        }
    }
}
