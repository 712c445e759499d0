/// What a log entry tells of. Entries about the device have no app.
package enum LogEvent: UInt8, Sendable, Codable, CaseIterable {
    case launched, launchedInBackground, suspended, resumed, terminated
    case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
    case willEnterForeground, willTerminate, openedURL
    case suspensionFailed, serviceStopped, keptRunning
    // The device and its user.
    case openRequested, homePressed, locked, unlocked, switcherOpened, switcherClosed, closeRequested
    case restartRequested, exemptionChanged, interrupted, interruptionEnded, callAccepted, callEnded
    case slept, woke, booted, shutDown, daemonRestarted, uninstalled
    // Memory.
    case didReceiveMemoryWarning, reclaimed, memoryShort, memoryRecovered, memoryLimitExceeded
    // Background tasks.
    case taskBegan, taskEnded, tasksExpired, taskRefused
    // The device's surroundings.
    case conditionChanged, toldOfChanges
    // Sockets.
    case listens, peerConnected, peersRefused, connectionsClosed
    // What apps are woken for.
    case performFetch, handleEventsForBackgroundURLSession, launchBackgroundTask
    case wakeRequested, wakeRefused, windowCompleted, windowExpires, windowOverrun
    case taskSubmitted, taskCancelled, taskRequestRefused, refreshAllowed
    case entriesOmitted
    case handleServiceEvents
    case descriptorsNearLimit
    case priorityInversion = 80
    /// An app keeps the screen on, or no longer.
    case screenHeld, screenReleased
    // Scenes.
    case sceneWillConnect = 90
    case sceneWillEnterForeground, sceneDidBecomeActive, sceneWillResignActive, sceneDidEnterBackground
    case sceneDidDisconnect, didDiscardScene
    /// `handleServiceEvents` for a push, which is Apple's method in the app.
    case didReceiveRemoteNotification
    /// Another process calls it over a message bus.
    case methodCalled
    /// The system emptied Library/Caches and tmp of an app, because room on the disk was short.
    case cachesEmptied

    package init(_ callback: Callback) {
        if case .scene = callback.kind, let scene = callback.scene {
            self = scene.step.event
        } else {
            self.init(callback.kind)
        }
    }

    /// Of those about a scene, that it connects.
    package init(_ callback: CallbackKind) {
        switch callback {
        case .willFinishLaunching: self = .willFinishLaunching
        case .didFinishLaunching: self = .didFinishLaunching
        case .didBecomeActive: self = .didBecomeActive
        case .willResignActive: self = .willResignActive
        case .didEnterBackground: self = .didEnterBackground
        case .willEnterForeground: self = .willEnterForeground
        case .willTerminate: self = .willTerminate
        case .openURL: self = .openedURL
        case .didReceiveMemoryWarning: self = .didReceiveMemoryWarning
        case .performFetch: self = .performFetch
        case .handleEventsForBackgroundURLSession: self = .handleEventsForBackgroundURLSession
        case .launchBackgroundTask: self = .launchBackgroundTask
        case .handleServiceEvents: self = .handleServiceEvents
        case .scene: self = .sceneWillConnect
        }
    }

    package var name: String { "\(self)" }
}

/// One line of the log. `cause` is the entry that led to it; following it ends at what the user, the device or the app
/// did.
package struct LogEntry: Hashable, Sendable, Codable {
    package var sequence: LogSequence
    package var at: WallTime
    package var app: AppIndex?
    package var event: LogEvent
    package var reason: Reason
    package var cause: LogSequence?
    /// How long the delegate took.
    package var took: Span?

    package init(
        sequence: LogSequence, at: WallTime, app: AppIndex?, event: LogEvent, reason: Reason, cause: LogSequence?,
        took: Span? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.app = app
        self.event = event
        self.reason = reason
        self.cause = cause
        self.took = took
    }
}

/// An interruption that lies over the screen.
package enum InterruptionKind: UInt8, Sendable, Codable, CaseIterable {
    case call, sms, alert

    package var name: String {
        switch self {
        case .call: "call"
        case .sms: "sms"
        case .alert: "alert"
        }
    }

    package var phrase: String {
        switch self {
        case .call: "an incoming call"
        case .sms: "an SMS"
        case .alert: "an alert"
        }
    }
}

/// Why something was decided: a value, so that the hot path formats nothing.
package enum Reason: Hashable, Sendable, Codable {
    case userOpened(String)
    indirect case urlOpened(url: String, by: String?, app: String)
    case userPressedHome
    case userLocked, userUnlocked
    case userOpenedSwitcher, userClosedSwitcher
    case userClosed(String)
    case userRestarted(String)
    case exempted(String, Bool)
    case interruption(InterruptionKind)
    case interruptionDismissed(InterruptionKind)
    case interruptionAccepted(InterruptionKind)
    case callEnded
    case deviceSlept, deviceWoke, deviceBooted, systemShutDown, daemonRestarted
    case uninstalled(String)
    case launchedAtBoot(String)
    /// It ended, and a service wants apps of its mode to run.
    case launchedAgain(String)
    /// A callback was called on the way to a state.
    case onTheWay(CallbackKind, LifecycleState)
    /// The same of a scene.
    case scene(SceneCall)
    /// The user opened a scene of an app, or closed it; or the app wants it shown.
    case sceneOpened(String, SceneNumber)
    case sceneClosed(String, SceneNumber)
    case sceneWanted(String, SceneNumber)
    case nothingEntitles
    case assertion(AssertionKind)
    case onScreenAgain
    case wantedInBackground
    case endRequested
    case thawedFromOutside
    case frozenFromOutside
    case cannotFreeze(attempts: UInt8)
    case serviceUndeclared(key: String)
    /// A service holds it, in the service's words.
    indirect case heldByService(String, sentence: String)
    case serviceGone(String)
    /// In the service's words.
    indirect case notedByService(String, sentence: String)
    /// The user answered something that the service showed; what, in the service's words.
    indirect case openedByService(String, because: String)
    indirect case serviceDidNotStop(String, within: Span)
    case memoryLevel(MemoryLevel, available: Int64, budget: Int64)
    /// Not short yet: what can be taken without asking is taken.
    case memoryTight(available: Int64, budget: Int64)
    case memorySimulated(MemoryLevel)
    case memoryReclaimed(bytes: Int64)
    case descriptorsNearLimit(open: Int64, limit: Int64)
    indirect case waitsForLower(PriorityInversion)
    indirect case memoryLimit(name: String, dirty: Int64, limit: Int64)
    indirect case memoryNearLimit(name: String, dirty: Int64, limit: Int64)
    /// A plain program has a file locked that somebody else needs: it cannot stand still.
    case lockBlocks(path: String)
    /// A client of this X display has grabbed its input, and the app may be that client.
    case inputGrabbed(String)
    case taskBegan(String)
    case finishesTask(String, limit: Span)
    case taskEnded(String)
    case tasksExpire([String], left: Span)
    case taskRefused(TaskRefusal)
    indirect case conditionChanged(Condition)
    /// What an app is told of when it runs again.
    case changedMeanwhile([SystemChange])
    case settingChanged(String, key: String)
    /// By itself, since the battery is low; or no longer.
    case savesPower(Bool, percent: Int32)
    /// The device has been locked for so long.
    case protectedDataUnavailable(after: Span)
    case keepsScreenOn(String, Bool)
    /// It is suspended, and others may connect to it. The first few listeners, and how many there are.
    case cannotAnswer([Listener], count: Int32)
    /// It has the mode `listen`, and left somebody waiting for so long.
    case doesNotAnswer(after: Span)
    case peerConnected(String)
    case answersPeers(grace: Span)
    case peersRefused(String, count: Int32)
    case connectionsClosed(count: Int32, after: Span)
    /// Another process calls this method of it over a message bus. Without a name its queue there is full, or the
    /// message cannot be read.
    case methodCalled(String)
    case answersCall(grace: Span, limit: Span)
    /// It has not read a call for so long.
    case readsNoCalls(after: Span)
    /// Bytes that its caches gave back, and bytes that were free before.
    case cachesEmptied(freed: Int64, left: Int64)
    /// It is woken: because of what, in a sentence.
    case woken(WindowKind, because: String)
    case usesWindow(WindowKind, limit: Span)
    case windowCompleted(WindowKind, WindowResult)
    case windowExpires(WindowKind, left: Span)
    case windowOverrun(WindowKind, allowed: Span)
    /// It would have been woken.
    indirect case notWoken(WindowKind, because: WakeObstacle)
    indirect case taskSubmitted(BackgroundTaskRequest)
    case taskCancelled(String)
    case taskRequestRefused(BackgroundTaskRefusal)
    case refreshAllowed(String, Bool)
    /// From now on, so that an app cannot fill the log.
    case omitsEntries(limit: Int32, within: Span)
    case omittedEntries(count: Int32)
    indirect case end(EndReason, name: String, state: LifecycleState)
}

extension Reason {
    /// The sentence that `log` and `why` print.
    package var sentence: String {
        switch self {
        case .userOpened(let name): "the user opened \(name)"
        case .urlOpened(let url, let by, let app): "\(by ?? "the user") opened \(url) with \(app)"
        case .userPressedHome: "the user pressed Home"
        case .userLocked: "the user locked the device"
        case .userUnlocked: "the user unlocked the device"
        case .userOpenedSwitcher: "the user opened the switcher"
        case .userClosedSwitcher: "the user closed the switcher"
        case .userClosed(let name): "the user closed \(name) in the switcher"
        case .userRestarted(let name): "the user restarted \(name)"
        case .exempted(let name, let isExempt):
            isExempt ? "the user exempted \(name) from suspension" : "the user ended the exemption of \(name)"
        case .interruption(let kind): "\(kind.phrase) came in"
        case .interruptionDismissed(let kind): "\(kind.phrase) was dismissed"
        case .interruptionAccepted(let kind): "\(kind.phrase) was accepted, which shows another screen"
        case .callEnded: "the call ended"
        case .deviceSlept: "the device went to sleep"
        case .deviceWoke: "the device woke"
        case .deviceBooted: "the device booted"
        case .systemShutDown: "the system was shut down"
        case .daemonRestarted: "the daemon restarted and adopted the apps"
        case .uninstalled(let name): "\(name) was uninstalled"
        case .launchedAtBoot(let name): "\(name) declares a background mode whose apps are launched at boot"
        case .launchedAgain(let name): "\(name) had ended, and declares a background mode whose apps are launched again"
        case .onTheWay(let callback, let state): Self.callbackSentence(callback, state)
        case .scene(let call): call.sentence
        case .sceneOpened(let name, let scene): "the user opened scene \(scene.rawValue) of \(name)"
        case .sceneClosed(let name, let scene): "the user closed scene \(scene.rawValue) of \(name) for good"
        case .sceneWanted(let name, let scene): "\(name) asked for its scene \(scene.rawValue) to be shown"
        case .nothingEntitles: "it is not on screen, and no assertion entitles it to run in the background"
        case .assertion(let kind): kind.reason
        case .onScreenAgain: "it is on screen again"
        case .wantedInBackground: "it is wanted in the background"
        case .endRequested: "it has to run to be ended in order"
        case .thawedFromOutside: "something other than Greenroom thawed it"
        case .frozenFromOutside: "something other than Greenroom had frozen it"
        case .cannotFreeze(let attempts):
            "it could not be frozen in \(attempts) attempts: one of its processes does not reach a point where the "
                + "kernel can stop it"
        case .serviceUndeclared(let key):
            "it went to the background without the background mode \(key) in its UIBackgroundModes"
        case .heldByService(let service, let sentence), .notedByService(let service, let sentence):
            "\(sentence) (service \(service))"
        case .openedByService(let name, let because): "the user opened \(name): \(because)"
        case .serviceGone(let service):
            "the service \(service) ended, was not there again in time, and holds it no longer"
        case .serviceDidNotStop(let service, let span):
            "the service \(service) did not say within \(span.twoDigits) seconds that it has stopped for it"
        case .descriptorsNearLimit(let open, let limit):
            "it has \(open) of \(limit) descriptors open: after the last, no file, socket or pipe can be opened; close what "
                + "is not needed, or raise the limit (setrlimit)"
        case .waitsForLower(let inversion): inversion.sentence
        case .memoryLevel(.normal, let available, let budget):
            "memory is enough again: \(available.mebibytes) of \(budget.mebibytes) are available"
        case .memoryLevel(let level, let available, let budget):
            "memory is short (\(level.name)): \(available.mebibytes) of \(budget.mebibytes) are available"
        case .memoryTight(let available, let budget):
            "memory is getting short: \(available.mebibytes) of \(budget.mebibytes) are available"
        case .memorySimulated(.normal): "the simulated memory pressure is over"
        case .memorySimulated(let level): "memory pressure (\(level.name)) was simulated"
        case .memoryReclaimed(let bytes):
            "\(bytes.mebibytes) of purgeable and clean memory were taken, which it makes or reads anew"
        case .memoryLimit(let name, let dirty, let limit):
            "\(name) has \(dirty.mebibytes) of dirty memory, and its limit is \(limit.mebibytes)"
        case .memoryNearLimit(let name, let dirty, let limit):
            "\(name) has \(dirty.mebibytes) of dirty memory, near its limit of \(limit.mebibytes)"
        case .lockBlocks(let path):
            "it has \(path) locked, which another process needs: it runs on until the lock is released or nobody needs the "
                + "file any more"
        case .inputGrabbed(let display):
            "a client of the display \(display) has grabbed the keyboard or the pointer, and it may be that client: no "
                + "window would have input if it stood still, so it runs on until the grab ends"
        case .taskBegan(let name): "it began the background task “\(name)”"
        case .finishesTask(let name, let limit):
            "it finishes the background task “\(name)”, for which it has \(limit.twoDigits) seconds from leaving the screen"
        case .taskEnded(let name): "it ended the background task “\(name)”"
        case .tasksExpire(let names, let left):
            "\(left.twoDigits) seconds are left to end \(names.map { "“\($0)”" }.joined(separator: ", ")): its expiration "
                + "handlers are called"
        case .taskRefused(let refusal): refusal.sentence
        case .conditionChanged(let condition): condition.sentence
        case .changedMeanwhile(let changes):
            "\(changes.map(\.phrase).joined(separator: ", ")) changed while it was suspended"
        case .settingChanged(let name, let key): "the user set \(key) of \(name)"
        case .savesPower(true, let percent): "low-power mode came on by itself: the battery is at \(percent) %"
        case .savesPower(false, let percent):
            "low-power mode ended by itself: the battery is charging, or at \(percent) % again"
        case .protectedDataUnavailable(let span):
            "the device has been locked for \(span.twoDigits) seconds: protected files cannot be read until it is unlocked"
        case .keepsScreenOn(let name, true): "\(name) keeps the screen on while it is active (isIdleTimerDisabled)"
        case .keepsScreenOn(let name, false): "\(name) no longer keeps the screen on"
        case .cannotAnswer(let listeners, let count):
            "it waits for connections at \(listeners.map(\.sentence).joined(separator: ", "))"
                + (Int(count) > listeners.count ? " and \(Int(count) - listeners.count) more" : "")
                + ", and cannot answer while it is suspended: who connects is refused at once (the background mode listen "
                + "would wake it)"
        case .doesNotAnswer(let span):
            "somebody connected, and it did not answer within \(span.twoDigits) seconds: until it is opened, connections "
                + "are refused and do not wake it"
        case .peerConnected(let name): "somebody connected to its \(name)"
        case .answersPeers(let grace):
            "it declares the background mode listen: it runs while somebody is connected or it works, and for "
                + "\(grace.twoDigits) seconds after that"
        case .peersRefused(let name, let count):
            "\(count == 1 ? "1 connection" : "\(count) connections") to its \(name) \(count == 1 ? "was" : "were") refused "
                + "while it was suspended"
        case .connectionsClosed(let count, let span):
            "\(count == 1 ? "a connection of it was" : "\(count) connections of it were") closed, because it has been "
                + "suspended for \(span.twoDigits) seconds"
        case .methodCalled(let method):
            method.isEmpty
                ? "a message bus has more for it than it can keep, or a message that only the app can read"
                : "another process called \(method) of it over a message bus, and waits for the answer"
        case .answersCall(let grace, let limit):
            "it was called over a message bus: it runs for \(grace.twoDigits) seconds, and for up to "
                + "\(limit.twoDigits) seconds while it works"
        case .readsNoCalls(let span):
            "another process called it over a message bus, and it did not read the call within \(span.twoDigits) "
                + "seconds: until it is opened, calls do not wake it"
        case .cachesEmptied(let freed, let left):
            "\(left.mebibytes) were left on the disk: its Library/Caches and tmp were emptied, since it does not run, which "
                + "gave \(freed.mebibytes) back"
        case .woken(let kind, let because):
            "it is woken for \(kind.phrase)" + (because == kind.phrase || because.isEmpty ? "" : ": \(because)")
        case .usesWindow(let kind, let limit):
            "it was woken for \(kind.phrase), and has \(limit.twoDigits) seconds to call its completion handler"
        case .windowCompleted(let kind, let result):
            "it called the completion handler of \(kind.phrase): \(result.phrase)"
        case .windowExpires(let kind, let left):
            "\(left.twoDigits) seconds are left for \(kind.phrase): its expiration handler is called"
        case .windowOverrun(let kind, let allowed):
            "it did not call the completion handler of \(kind.phrase) within \(allowed.twoDigits) seconds"
        case .notWoken(let kind, let obstacle): "it is not woken for \(kind.phrase): \(obstacle.sentence)"
        case .taskSubmitted(let request):
            "it asked for \(request.window.phrase)" + (request.earliest.map { ", not before \($0.iso8601)" } ?? "")
        case .taskCancelled(let identifier): "it cancelled its request for the task “\(identifier)”"
        case .taskRequestRefused(let refusal): refusal.sentence
        case .refreshAllowed(let name, let isAllowed):
            "the user \(isAllowed ? "allowed \(name) to refresh" : "forbade \(name) refreshing") in the background"
        case .omitsEntries(let limit, let span):
            "it begins, ends and asks for more than \(limit) things within \(span.twoDigits) seconds: the rest of them is not "
                + "in the log"
        case .omittedEntries(let count):
            count == 1 ? "1 entry of what it did was left out" : "\(count) entries of what it did were left out"
        case .end(let reason, let name, let state): reason.sentence(name: name, state: state)
        }
    }

    private static func callbackSentence(_ callback: CallbackKind, _ state: LifecycleState) -> String {
        switch callback {
        case .willFinishLaunching, .didFinishLaunching:
            state == .background ? "it launched into the background" : "it launched to be shown on screen"
        case .didBecomeActive: "it is on screen and nothing lies over it"
        case .willResignActive: "it is no longer what the user acts on"
        case .didEnterBackground: "it is no longer on screen"
        case .willEnterForeground: "it is on screen again"
        case .willTerminate: "it is about to be ended while it runs"
        case .openURL: "it is registered for the URL's scheme"
        case .didReceiveMemoryWarning: "memory is short, and it may have some to give back"
        case .performFetch: "it is time to fetch what is new"
        case .handleEventsForBackgroundURLSession: "a background URL session of it has something to tell"
        case .launchBackgroundTask: "the time for a task has come that it asked for"
        case .handleServiceEvents: "a service that it uses has something for it"
        case .scene: "one of its scenes changes"
        }
    }
}

extension LogEntry {
    /// A service's own word on an app, which follows from nothing that the app did.
    package var isNote: Bool {
        if case .notedByService = reason { true } else { false }
    }
}
