import Model
import PolicyCore

/// What services say and are told, each a little different from the others.
enum ServiceSamples {
    private static let (service, other) = (ServiceIndex(3), ServiceIndex(.max))
    private static let app = Incarnation(AppIndex(3_000_000_000), Generation(.max))
    private static let hold = StatedHold(incarnation: app, hold: 2, because: "é\u{0}")

    private static func windows(_ callbacks: WindowCallback...) -> [ServiceDeclaration.Window] {
        callbacks.map { .init(name: "w", sentence: "s", time: .seconds(1), callback: $0) }
    }

    private static let declarations: [[ServiceDeclaration]] = [
        [], [ServiceDeclaration(name: "")],
        [
            ServiceDeclaration(
                name: "steps",
                holds: [
                    .init(name: "counting", sentence: "it counts", priority: .foreground, limit: .seconds(3)),
                    .init(name: "x", sentence: ""),
                ],
                windows: [.init(name: "goal", sentence: "a goal", time: .seconds(10))], mode: [.location, .audio],
                worksInForeground: false),
            ServiceDeclaration(name: "other"),
        ],
    ]

    static let events: [Event] =
        ([
            .declared([ServiceDeclaration(name: "steps", windows: windows(.sessionEvents, .serviceEvents))]),
            .declared([ServiceDeclaration(name: "steps", windows: windows(.sessionEvents, .sessionChallenge))]),
            .receives(service, []), .receives(other, []), .receives(service, [AppIndex(1)]),
            .receives(service, [AppIndex(2), AppIndex(1)]),
            .noted(service, AppIndex(1), sentence: "a"), .noted(other, AppIndex(1), sentence: "a"),
            .noted(service, AppIndex(2), sentence: "a"), .noted(service, AppIndex(1), sentence: "b"),
            .remembered(service, []), .remembered(service, [AppIndex(1)]), .remembered(other, [AppIndex(2), app.app]),
            .arrived(service, []), .arrived(other, [hold, StatedHold(incarnation: app, hold: .max, because: "")]),
            .lost(service), .attached(other, app), .hold(service, ServiceRequestID(.max), hold, limit: .seconds(7)),
            .hold(service, ServiceRequestID(0), hold, limit: .zero),
            .drop(service, ServiceRequestID(1), app, hold: .max), .stopped(service, app, hold: 0),
            .wake(service, ServiceRequestID(2), app.app, window: 1, because: "b", payload: "p"),
            .declared([
                ServiceDeclaration(
                    name: "steps",
                    holds: [
                        .init(name: "a", sentence: "s", activity: .streaming, priority: .timed),
                        .init(name: "b", sentence: "s", activity: .location),
                        .init(name: "c", sentence: "s", activity: .use, limit: .seconds(1)),
                    ], mode: .voip, launchesAtBoot: true)
            ]),
            .declared([ServiceDeclaration(name: "steps", mode: .voip, relaunches: true)]),
        ] + declarations.map { .declared($0) } as [ServiceEvent]).map { .service($0) }

    static let refusals: [ServiceRefusal] = [
        .unknownService, .undeclared(kind: "a"), .undeclared(kind: "b"), .unknownApp, .processGone,
        .missingMode(key: "a", isForeground: true), .missingMode(key: "a", isForeground: false),
        .missingMode(key: "b", isForeground: true), .notHeld(kind: "a"),
        .notHeld(kind: "b"), .notWoken(.onScreen), .notWoken(.noPower),
        .notOpened(because: "a"), .notOpened(because: "b"),
    ]

    static let actions: [Action] =
        ([
            .answer(service, ServiceRequestID(1), nil), .answer(other, ServiceRequestID(1), nil),
            .answer(service, ServiceRequestID(2), nil),
        ] + refusals.map { .answer(service, ServiceRequestID(1), $0) }
        + [
            .stop(service, app, hold: 1), .stop(other, app, hold: 1), .stop(service, app, hold: 2),
            .stop(service, Incarnation(app.app, Generation(1)), hold: 1), .ended(service, app, hold: 1),
            .ended(other, app, hold: 1), .ended(service, app, hold: 2),
            .ended(service, Incarnation(AppIndex(1), app.generation), hold: 1),
        ] as [ServiceAction]).map { .service($0) }

    static let reasons: [Reason] = [
        .heldByService("a", sentence: "a"), .heldByService("b", sentence: "a"), .heldByService("a", sentence: "b"),
        .openedByService("a", because: "a"), .openedByService("b", because: "a"), .openedByService("a", because: "b"),
        .notedByService("a", sentence: "a"), .notedByService("b", sentence: "a"), .notedByService("a", sentence: "b"),
        .serviceGone("a"), .serviceGone("b"), .serviceDidNotStop("a", within: .zero),
        .serviceDidNotStop("b", within: .zero), .serviceDidNotStop("a", within: .seconds(1)),
    ]
}
