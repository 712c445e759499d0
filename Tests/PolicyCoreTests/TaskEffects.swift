import Model
import PolicyCore

/// What effects can say of background tasks, for `EffectCodingTests`.
enum TaskEffects {
    static let refusals: [TaskRefusal] = [
        .noMultitasking(profile: "a"), .noMultitasking(profile: "b"), .timeIsOver(limit: .seconds(1)),
        .timeIsOver(limit: .seconds(2)), .tooMany(limit: 1), .tooMany(limit: 2), .beingEnded,
    ]

    static let ends: [TaskEnd] = {
        let end = TaskEnd(
            names: ["a"], count: 1, allowed: .seconds(1), notice: .seconds(2), verdict: .watchdog, strayEnds: 0)
        let changes: [(inout TaskEnd) -> Void] = [
            { $0.names = [] }, { $0.names = ["a", "b"] }, { $0.names = ["b"] }, { $0.count = 2 },
            { $0.allowed = .zero }, { $0.notice = .zero }, { $0.verdict = .runningBoard }, { $0.strayEnds = 1 },
        ]
        return [end]
            + changes.map { change in
                var one = end
                change(&one)
                return one
            }
    }()

    static let reasons: [Reason] =
        [
            .taskBegan("a"), .taskBegan("b"), .finishesTask("a", limit: .zero), .finishesTask("b", limit: .zero),
            .finishesTask("a", limit: .seconds(1)), .taskEnded("a"), .taskEnded("b"),
            .tasksExpire([], left: .zero), .tasksExpire(["a"], left: .zero), .tasksExpire(["b"], left: .zero),
            .tasksExpire(["a", "b"], left: .zero), .tasksExpire(["a"], left: .seconds(1)),
        ] + refusals.map { .taskRefused($0) }

    static func actions(_ app: AppIndex, _ generation: Generation, _ other: Generation) -> [Action] {
        let one = Expiration(tasks: [TaskID(1)], round: 1, left: .zero)
        let changes: [(inout Expiration) -> Void] = [
            { $0.tasks = [] }, { $0.tasks = [TaskID(2)] }, { $0.tasks = [TaskID(1), TaskID(2)] }, { $0.round = 2 },
            { $0.left = .seconds(5) },
        ]
        let expirations =
            [one]
            + changes.map { change in
                var changed = one
                change(&changed)
                return changed
            }
        return expirations.map { .expireTasks(app, generation, $0) }
            + [.expireTasks(app, other, one), .expireTasks(AppIndex(4), generation, one)]
            + [nil, Span.zero, .seconds(1)].flatMap { left -> [Action] in
                [
                    .reply(app, RequestID(1), .taskBegan(remaining: left)),
                    .reply(app, RequestID(1), .remaining(left)),
                ]
            } + [.reply(app, RequestID(1), .taskEnded)]
    }
}
