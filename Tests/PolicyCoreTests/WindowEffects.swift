import Model
import PolicyCore

/// What effects say of what apps are woken for, each a little different from the others.
enum WindowEffects {
    private static let kinds: [WindowKind] =
        [
            .fetch, .sessionEvents(session: "a", authentication: false),
            .sessionEvents(session: "a", authentication: true),
            .sessionEvents(session: "b", authentication: false), .refresh("a"), .refresh("b"), .processing("a"),
        ] + wakes.map { .service($0) }

    private static let wakes: [ServiceWake] = [
        ServiceWake(service: "a", window: "a", payload: "a", sentence: "a", time: .zero),
        ServiceWake(service: "b", window: "a", payload: "a", sentence: "a", time: .zero),
        ServiceWake(service: "a", window: "b", payload: "a", sentence: "a", time: .zero),
        ServiceWake(service: "a", window: "a", payload: "b", sentence: "a", time: .zero),
        ServiceWake(service: "a", window: "a", payload: "a", sentence: "b", time: .zero),
        ServiceWake(service: "a", window: "a", payload: "a", sentence: "a", time: .seconds(1)),
    ]

    private static let tasks: [BackgroundTaskRequest] = {
        let one = BackgroundTaskRequest(identifier: "a", kind: .refresh)
        let changes: [(inout BackgroundTaskRequest) -> Void] = [
            { $0.identifier = "" }, { $0.kind = .processing }, { $0.earliest = WallTime(nanoseconds: 0) },
            { $0.earliest = WallTime(nanoseconds: 1) }, { $0.needsNetwork = true }, { $0.needsPower = true },
        ]
        return [one]
            + changes.map { change in
                var other = one
                change(&other)
                return other
            }
    }()

    private static let taskRefusals: [BackgroundTaskRefusal] = [
        .notPermitted(identifier: "a"), .notPermitted(identifier: "b"), .missingMode(key: "a"),
        .tooMany(.refresh, limit: 1), .tooMany(.processing, limit: 1), .tooMany(.refresh, limit: 2),
        .unavailable(profile: "a"), .refreshIsOff,
    ]

    static let obstacles: [WakeObstacle] = [
        .noMultitasking(profile: "a"), .missingMode(key: "a"), .neverAsked, .hasTasks, .plainProgram, .refreshIsOff,
        .closedByUser,
        .onScreen,
        .beingEnded, .underWay, .shuttingDown, .noNetwork, .batteryLow(percent: 1, least: 2),
        .batteryLow(percent: 2, least: 2), .batteryLow(percent: 1, least: 3), .noPower,
        .tooEarly(until: nil, because: "a"), .tooEarly(until: nil, because: "b"),
        .tooEarly(until: WallTime(nanoseconds: 1), because: "a"),
        .tooSoon(until: WallTime(nanoseconds: 1), pause: .zero),
        .tooSoon(until: WallTime(nanoseconds: 2), pause: .zero),
        .tooSoon(until: WallTime(nanoseconds: 1), pause: .seconds(1)),
        .usedUp(until: WallTime(nanoseconds: 1), daily: 1), .usedUp(until: WallTime(nanoseconds: 2), daily: 1),
        .usedUp(until: WallTime(nanoseconds: 1), daily: 2), .lowPower, .tooWarm(.serious), .tooWarm(.critical),
    ]

    static let ends: [EndReason] =
        kinds.map { .windowNotCompleted(WindowEnd(kind: $0, allowed: .zero)) }
        + [.windowNotCompleted(WindowEnd(kind: .fetch, allowed: .seconds(1)))]
        + WindowService.allCases.map { .exceeded(.window($0), allowed: .zero) }

    static let refusals: [Refusal] =
        taskRefusals.map { .backgroundTask($0) } + obstacles.map { .notWoken("a", $0) }
        + [.notWoken("b", .onScreen), .takesNoFetch("a"), .takesNoFetch("b")]
        + [
            .tooManyURLs(limit: 1, within: .zero), .tooManyURLs(limit: 2, within: .zero),
            .tooManyURLs(limit: 1, within: .seconds(1)),
        ]

    static let reasons: [Reason] =
        kinds.flatMap { kind -> [Reason] in
            [
                .woken(kind, because: "a"), .usesWindow(kind, limit: .zero), .windowCompleted(kind, .done),
                .windowExpires(kind, left: .zero), .windowOverrun(kind, allowed: .zero),
                .notWoken(kind, because: .onScreen),
            ]
        }
        + [
            .woken(.fetch, because: "b"), .usesWindow(.fetch, limit: .seconds(1)),
            .windowExpires(.fetch, left: .seconds(1)), .windowOverrun(.fetch, allowed: .seconds(1)),
            .taskCancelled("a"), .taskCancelled("b"), .refreshAllowed("a", true), .refreshAllowed("a", false),
            .refreshAllowed("b", true), .omitsEntries(limit: 1, within: .zero),
            .omitsEntries(limit: 2, within: .zero), .omitsEntries(limit: 1, within: .seconds(1)),
            .omittedEntries(count: 1), .omittedEntries(count: 2),
        ] + WindowResult.allCases.dropLast().map { .windowCompleted(.fetch, $0) }
        + obstacles.filter { $0 != .onScreen }.map { .notWoken(.fetch, because: $0) }
        + tasks.map { .taskSubmitted($0) } + taskRefusals.map { .taskRequestRefused($0) }

    static func actions(_ app: AppIndex, _ generation: Generation, _ other: Generation) -> [Action] {
        let windows: [OpenWindow?] =
            [nil] + kinds.map { OpenWindow(id: WindowID(1), kind: $0) } + [OpenWindow(id: WindowID(2), kind: .fetch)]
        let callbacks = windows.map { window in
            Callback(
                number: CallbackNumber(1), kind: window?.kind.service.callback ?? .performFetch, window: window)
        }
        return callbacks.map { .deliver(app, generation, [$0]) } + [
            .expireWindow(app, generation, WindowID(1), left: .zero),
            .expireWindow(app, other, WindowID(1), left: .zero),
            .expireWindow(app, generation, WindowID(2), left: .zero),
            .expireWindow(app, generation, WindowID(1), left: .seconds(1)),
            .expireWindow(AppIndex(4), generation, WindowID(1), left: .zero),
            .reply(app, RequestID(1), .pendingTasks([])), .reply(app, RequestID(1), .pendingTasks(tasks)),
        ] + tasks.map { .reply(app, RequestID(1), .pendingTasks([$0])) }
    }
}
