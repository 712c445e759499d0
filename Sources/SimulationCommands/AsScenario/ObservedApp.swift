internal import Model
internal import PolicyCore
internal import Simulation

/// What a recording shows of an app: how long things took it, what it was asked, and how its processes ended.
struct ObservedApp {
    let name: String
    var manifest: AppManifest
    var isInstalled = true

    /// A call of a delegate method.
    struct Return {
        var kind: CallbackKind
        var took: Span
        var deliveredAt: Span
        var at: Span
        /// Until when no other call of it was under way.
        var behavedUntil: Span
        var wasTraced: Bool
    }

    /// A launch that came as far as the first word.
    struct Launch {
        var born: Span
        var hello: Span
        /// When its launch callbacks had returned.
        var done: Span?
    }

    // Of all its processes.
    var launches: [Launch] = []
    private var taskNames: [TaskID: String] = [:]
    private var windows: [WindowID: WindowService] = [:]
    var returns: [Return] = []
    /// The delegate methods that were called, in order.
    var called: [CallbackKind] = []
    var reports: [UInt64] = []
    /// What it asked for within each call of a delegate method.
    var requestsWithin: [CallbackKind: [[AppAction]]] = [:]
    /// The same, with its moments.
    var requests: [(at: Span, action: AppAction, within: CallbackKind?)] = []
    private var known: Set<RequestID> = []
    /// Processes that were born.
    var births = 0

    // Of the present process.
    var generation = Generation(0)
    var isLaunching = false
    var launchAskedAt = Span.zero
    var bornAt: Span?
    var isConnected = false
    /// The connection ended: of the process, or it comes back.
    var disconnectedAt: Span?
    /// On their way, or being executed: the first one.
    var outstanding: [(callback: Callback, at: Span)] = []
    /// What it asked for since the first of them began.
    var requestsNow: [AppAction] = []
    /// The host was asked to end it.
    var isEnding = false
    var askedToEndAt: Span?
    /// Its first process ended by itself.
    var ended: (status: ExitStatus, at: Span)?
    /// The host was asked to freeze it, and the kernel has not confirmed it.
    var freezeAskedAt: Span?

    // Until when it is known to have behaved.
    var returnedAt: [CallbackKind: Span] = [:]
    var askedAt = Span.zero
    var answeredAt = Span.zero
    var countedAt = Span.zero
    var frozenAt = Span.zero
    var launchedAt = Span.zero
    var tracedAt = Span.zero
    /// Faults that the scenario has to take back.
    var isUnfreezable = false
    var isTraced = false
    /// A plain program was in the way of another app with what it had locked.
    var inTheWay: (path: String, of: String, last: Span)?
    /// Since it was sent away it was not suspended, because a client of its display had grabbed input; when last seen.
    var grabbedAt: Span?
    /// When it was called over a message bus.
    var calledAt: Span?
    /// Where it listens, as far as anybody saw, and who is connected: since when, and when last seen.
    var listening: [String] = []
    var peer: (since: Span, last: Span)?
    /// It left somebody waiting.
    var isIgnoring = false
    /// To be done before its next launch and not before its end: when that was, and what.
    var before: (next: [Fault], since: Span) = ([], .zero)

    init(name: String, manifest: AppManifest) {
        self.name = name
        self.manifest = manifest
    }

    /// Something is under way that normally takes milliseconds.
    var isBusy: Bool { isLaunching || !outstanding.isEmpty || freezeAskedAt != nil || ended != nil }

    mutating func begin(_ generation: Generation, at moment: Span) {
        self.generation = generation
        isLaunching = true
        launchAskedAt = moment
    }

    /// Nothing of the process is left.
    mutating func end(at moment: Span) {
        for item in outstanding { returnedAt[item.callback.kind] = moment }
        isLaunching = false
        listening = []
        peer = nil
        bornAt = nil
        isConnected = false
        disconnectedAt = nil
        outstanding = []
        requestsNow = []
        isEnding = false
        askedToEndAt = nil
        ended = nil
        freezeAskedAt = nil
        known = []
    }

    /// The delegate method that is being executed, as far as the daemon can tell.
    var presentCall: (callback: Callback, at: Span)? { isConnected ? outstanding.first : nil }

    /// Until when nothing kept the main thread.
    var behavedUntil: Span { returnedAt.values.reduce(max(answeredAt, launchedAt), max) }

    /// After a reconnection the same callbacks are sent again.
    mutating func deliver(_ callbacks: [Callback], at moment: Span) {
        for callback in callbacks where !outstanding.contains(where: { $0.callback.number == callback.number }) {
            outstanding.append((callback, moment))
            if let window = callback.window { windows[window.id] = window.kind.service }
        }
    }

    /// A delegate method returned; how long the app took for it, as far as the Core saw.
    mutating func returned(_ kind: CallbackKind, took: Span?, at moment: Span) {
        called.append(kind)
        if let place = outstanding.firstIndex(where: { $0.callback.kind == kind }) {
            let delivered = outstanding.remove(at: place).at
            if let took {
                returns.append(
                    Return(
                        kind: kind, took: took, deliveredAt: delivered, at: moment,
                        behavedUntil: returnedAt[kind] ?? .zero, wasTraced: isTraced))
            }
        }
        if kind == .didFinishLaunching { isLaunching = false }
        if kind == .didBecomeActive || kind == .didEnterBackground, let last = launches.indices.last,
            launches[last].done == nil
        {
            launches[last].done = moment
        }
        requestsWithin[kind, default: []].append(requestsNow)
        requestsNow = []
        returnedAt[kind] = moment
    }

    /// A request that is repeated after a reconnection is one request.
    mutating func ask(_ id: RequestID, _ action: AppAction, at moment: Span) {
        guard known.insert(id).inserted else { return }
        let within = outstanding.first?.callback.kind
        requests.append((moment, action, within))
        if within != nil { requestsNow.append(action) }
    }

    /// What the app did to ask for this. Scenarios know tasks by name.
    mutating func action(_ request: AppRequest, at wall: WallTime) -> AppAction {
        switch request {
        case .openURL(let url): return .openURL(url)
        case .canOpenURL(let url): return .canOpenURL(url)
        case .scene(.activate(let scene, _)): return .activateScene(scene)
        case .scene(.destroy(let scene)): return .destroyScene(scene)
        case .beginTask(let task, let name):
            taskNames[task] = name
            return .beginTask(name)
        case .endTask(let task): return taskNames.removeValue(forKey: task).map(AppAction.endTask) ?? .endInvalidTask
        case .backgroundTime: return .askBackgroundTime
        case .mechanism(.snapshots(.provide(let provides))): return .provideSnapshots(provides)
        case .mechanism(.snapshots(.refresh)): return .refreshSnapshot
        case .complete(let window, let result): return .complete(windows[window] ?? .fetch, result)
        case .setFetchInterval(let interval): return .setFetchInterval(interval)
        case .submitTask(let request):
            let after = request.earliest.map { Span(nanoseconds: max(0, $0.nanoseconds - wall.nanoseconds)) }
            return .submitTask(
                request.kind, request.identifier, after: after,
                needs: request.needsNetwork ? .network : request.needsPower ? .power : nil)
        case .cancelTask(let identifier): return .cancelTask(identifier)
        // What changes nothing about apps, as a scenario sees them.
        case .pendingTasks, .keepScreenOn: return .askBackgroundTime
        }
    }

    /// How long its delegate methods take, where people acted at these moments, ascending.
    func durations(_ inputs: [Span]) -> [CallbackKind: Span] {
        Dictionary(grouping: returns, by: \.kind).compactMapValues { calls in
            LikelyDuration.of(
                calls.map { call in
                    let next = inputs.first(after: call.deliveredAt).map { $0 - call.deliveredAt }
                    // Waiting for the one before it is no part of it.
                    let waited = call.at - call.deliveredAt - call.took
                    return LikelyDuration.Sample(took: call.took, next: next.map { max($0 - waited, .zero) })
                })
        }
    }

    func startup(_ inputs: [Span]) -> Span? {
        LikelyDuration.of(
            launches.map { launch in
                let took = launch.hello - launch.born
                guard let next = inputs.first(after: launch.born) else { return LikelyDuration.Sample(took: took) }
                if next < launch.hello { return LikelyDuration.Sample(took: took, next: next - launch.born) }
                guard let done = launch.done, next >= done else { return LikelyDuration.Sample(took: took) }
                return LikelyDuration.Sample(took: took, next: took + (next - done))
            })
    }

    /// Calls that took much longer than those usually do.
    func slowReturns(_ usual: [CallbackKind: Span]) -> [Return] {
        returns.filter { one in
            one.took >= .seconds(1) && one.took.nanoseconds / 5 > (usual[one.kind]?.nanoseconds ?? 0)
        }
    }

    /// What it does in every call of a delegate method alike.
    var reactions: [CallbackKind: [AppAction]] {
        requestsWithin.compactMapValues { lists in
            guard let first = lists.first, !first.isEmpty, lists.allSatisfy({ $0 == first }) else { return nil }
            return first
        }
    }
}

extension [Span] {
    /// Of moments in their order, the first one behind a moment.
    func first(after moment: Span) -> Span? {
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle] <= moment ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound < endIndex ? self[range.lowerBound] : nil
    }
}
