import Model
import PolicyCore

/// A walk through all that services say and are told, and through what came with them; the daemon dies in its middle.
struct ServicesTour {
    let device: RecordedDevice
    private var request: UInt64 = 0

    private let steps = ServiceIndex(0)
    private let transfers = ServiceIndex(1)
    private let declarations = [
        ServiceDeclaration(
            name: "steps",
            holds: [
                .init(name: "counting", sentence: "it counts steps", activity: .streaming, priority: .foreground),
                .init(name: "short", sentence: "it looks once", limit: .seconds(30)),
            ],
            windows: [.init(name: "goal", sentence: "a goal", time: .seconds(10))], mode: "location"),
        ServiceDeclaration(
            name: "transfers",
            windows: [
                .init(name: "session", sentence: "the end of a session", time: .seconds(10), callback: .sessionEvents),
                .init(name: "who", sentence: "a question", time: .seconds(10), callback: .sessionChallenge),
            ]),
    ]

    init(_ folder: String) throws { device = try RecordedDevice(folder) }

    private mutating func next() -> ServiceRequestID {
        request += 1
        return ServiceRequestID(request)
    }

    private func of(_ app: AppIndex) -> Incarnation { Incarnation(app, device.generation(app)) }

    private mutating func hold(_ app: AppIndex, _ kind: UInt8, because: String = "", limit: Span = .zero) {
        let stated = StatedHold(incarnation: of(app), hold: kind, because: because)
        device.post(.service(.hold(steps, next(), stated, limit: limit)))
    }

    private mutating func wake(_ service: ServiceIndex, _ app: AppIndex, _ window: UInt8, _ payload: String) {
        device.post(.service(.wake(service, next(), app, window: window, because: "it is so far", payload: payload)))
        guard let window = device.windows[app] else { return }
        device.post(.request(app, RequestID(request), .complete(window, .done)))
    }

    mutating func play() throws {
        device.post(.service(.declared(declarations)))
        let walker = device.install("walker", modes: "location")
        let player = device.install("player")
        device.post(.service(.remembered(transfers, [player])))
        for service in [steps, transfers] { device.post(.service(.arrived(service, []))) }
        for app in [walker, player] {
            device.perform(.open(app, role: .primary, wait: true))
            device.post(.service(.attached(steps, of(app))))
            hold(app, 0, because: "“é” wants it")
        }
        hold(walker, 1, limit: .seconds(5))
        // Without its key the player is stopped when it leaves the screen.
        device.perform(.home(wait: true))
        device.post(.service(.stopped(steps, of(player), hold: 0)))
        device.pass(.seconds(40))
        device.post(.mechanism(of(walker), .descriptors(.nearLimit(open: 950, limit: 1000))))
        wake(transfers, player, 0, "photos")
        wake(transfers, player, 1, "photos")
        device.post(.service(.lost(steps)))
        device.pass(.seconds(1))
        device.diesWithinNextEvent = true
        device.post(.timer)
        try device.restart()
        device.post(.service(.declared(declarations)))
        let stated = StatedHold(incarnation: of(walker), hold: 0, because: "")
        device.post(.service(.arrived(steps, [stated])))
        device.post(.service(.arrived(transfers, [])))
        wake(steps, player, 0, "10000")
        wake(steps, walker, 9, "")
        device.post(.service(.noted(steps, walker, sentence: "it stands still")))
        device.post(.service(.receives(steps, [walker])))
        device.post(.service(.drop(steps, next(), of(walker), hold: 0)))
        device.pass(.seconds(20))
        device.perform(.close(walker, wait: true))
        device.pass(.seconds(20))
    }
}
