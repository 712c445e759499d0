internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import PushCore
internal import PushLink
internal import Simulation

// What the Core wants done, and the way to the gateway.
extension SimulatedNotifications {
    mutating func perform(_ effect: NotificationEffect) {
        switch effect {
        case .store, .erase: break
        case .present(let presentation): screen.present(presentation, at: now)
        case .withdraw(let id): screen.withdraw(id)
        case .playSound(_, let sound): screen.play(sound)
        case .badge(let app, let count): screen.setBadge(count, of: app)
        case .reply(let request, let reply): answered(request, .success(reply))
        case .refuse(let request, let refusal): answered(request, .failure(refusal))
        case .tell(let connection, let telling):
            waits.told(telling, at: now)
            tell(connection.rawValue, telling)
        case .tellBadge(let connection, let count): tellBadge(connection.rawValue, count)
        case .wake(let order):
            waits.told(order.telling, at: now)
            guard let payload = order.payload else { return post(.woken(order.telling.id, .never)) }
            wake(order.telling.id, order.window.rawValue, order.because, payload)
        case .open(let order): wake(order.telling.id, order.window, order.because, order.payload)
        // No simulated app has a helper: the original is shown.
        case .mutate(let order): post(.mutated(order.id, nil))
        case .acknowledge(let sequence): link.acknowledge(Int64(clamping: sequence))
        case .register(let topic): link.register(topic)
        case .unregister(let topic): link.unregister(topic)
        case .sendKeepAlive:
            keepAlives += 1
            link.ping()
        case .hold(let topic, let hold): link.say(.hold(topic, hold))
        case .patience(let span): link.say(.patience(span))
        case .linkIsDead: follow(link.lost(at: machineNow))
        case .watch(let app, let places): watch(app, places)
        case .report(let report): log.append(report)
        }
    }

    private mutating func wake(_ id: TellingID, _ window: String, _ because: String, _ payload: String) {
        let number = number()
        wakes[number] = id
        acts.append(.wake(id.app, window: window, because: because, payload: payload, number: number))
    }

    mutating func windowEnded(_ app: AppIdentifier, _ window: WakeWindow, _ end: ServiceModelEnd) {
        let result: NotificationsCore.WindowResult =
            switch end {
            case .done: .done
            case .late: .late
            case .gone: .gone
            }
        if result != .gone { ledger.ended(app, window) }
        post(.windowEnded(app, window, result))
    }

    // MARK: The link

    mutating func follow(_ outcomes: [SimulatedLink.Outcome]) {
        for outcome in outcomes {
            switch outcome {
            case .close:
                stopMoves()
                post(.link(.down))
            case .connect:
                gateway.connected(time)
                guard gateway.isUp else {
                    follow(link.lost(at: machineNow))
                    continue
                }
                // The handshake of TLS: hello there, certificates back.
                link.up.waiting = [.hello(key: SimulatedGateway.deviceKey)]
                handshake = Handshake(up: move(Self.helloBytes, .up, nil, .keepAlive), down: nil)
            }
        }
    }

    private mutating func stopMoves() {
        for traffic in [handshake?.up, handshake?.down, moves.up, moves.down].compactMap(\.self) {
            acts.append(.stop(traffic: traffic))
        }
        (handshake, moves.up, moves.down) = (nil, nil, nil)
    }

    /// About what TLS 1.3 takes with a certificate of its own authority, and what each portion has around its bytes.
    private static let (helloBytes, certificateBytes, overhead): (Int64, Int64, Int64) = (400, 2_200, 70)

    private mutating func move(_ bytes: Int64, _ way: Direction, _ app: AppIdentifier?, _ purpose: Purpose) -> UInt64 {
        let traffic = number()
        acts.append(.move(traffic: traffic, bytes: bytes, way, app, purpose))
        return traffic
    }

    /// What waits goes, one portion after another.
    mutating func settleLink() {
        guard link.isConnected, !link.isDead, handshake == nil else { return }
        if moves.up == nil, !link.up.waiting.isEmpty {
            let records = link.up.waiting
            link.up = SimulatedLink.Lane(waiting: [], moving: records)
            let bytes = records.reduce(0) { $0 + Int64($1.line.count) } + Self.overhead
            let isAcknowledgement = records.contains { if case .ack = $0 { true } else { false } }
            moves.up = move(bytes, .up, nil, isAcknowledgement ? .push : .keepAlive)
        }
        if moves.down == nil, !link.down.waiting.isEmpty {
            let records = link.down.waiting
            link.down = SimulatedLink.Lane(waiting: [], moving: records)
            let bytes = records.reduce(0) { $0 + Int64($1.line.count) } + Self.overhead
            let app = records.lazy.compactMap(\.app).first
            moves.down = move(bytes, .down, app, records.contains(where: \.isPush) ? .push : .keepAlive)
        }
    }

    mutating func moved(_ traffic: UInt64) {
        switch traffic {
        case handshake?.up:
            handshake = Handshake(up: nil, down: move(Self.certificateBytes, .down, nil, .keepAlive))
        case handshake?.down: handshake = nil
        case moves.up:
            moves.up = nil
            let records = link.up.moving
            link.up.moving = []
            for record in records { gateway.receive(record, time) }
            takeFromGateway()
        case moves.down:
            moves.down = nil
            let records = link.down.moving
            link.down.moving = []
            for record in records where link.isConnected { heard(record) }
            if link.isConnected, link.endsBehind, link.down.waiting.isEmpty { follow(link.lost(at: machineNow)) }
        default: break
        }
    }

    /// The network under it is another one: the agent does not know yet.
    mutating func broken(_ traffic: UInt64) {
        switch traffic {
        case handshake?.up, handshake?.down: handshake = nil
        case moves.up: (moves.up, link.up.moving) = (nil, [])
        case moves.down: (moves.down, link.down.moving) = (nil, [])
        default: break
        }
    }

    /// What the gateway has to say is on its way, unless nothing arrives any more.
    mutating func takeFromGateway() {
        let (records, ends) = gateway.take()
        guard link.isConnected, !link.isDead else { return }
        link.down.waiting += records
        if ends { link.endsBehind = true }
    }

    private mutating func heard(_ record: GatewayRecord) {
        link.heard(record)
        switch record {
        case .challenge:
            let signature = [UInt8](repeating: 1, count: LinkRules.signatureLength)
            link.up.waiting.append(.prove(signature: signature))
        case .welcome(_, let keepAlive, _):
            link.opened(at: machineNow)
            post(.link(.up(network: link.networkName, longestKeepAlive: .seconds(Double(keepAlive)))))
            return
        case .token(let topic, let token): post(.link(.token(topic: topic, token)))
        case .unregistered: follow(link.consider(machineNow))
        case .refused(let topic, let reason): post(.link(.tokenRefused(topic: topic, reason)))
        case .push(let push):
            guard let message = NotificationsCore.PushMessage(push) else { return link.acknowledge(push.number) }
            ledger.arrived(message.id)
            post(.pushArrived(message, sequence: UInt64(clamping: push.number)))
            return
        case .pong:
            post(.link(.keepAliveAnswered))
            return
        case .goaway(let after, _):
            follow(link.lost(at: machineNow, after: after))
            return
        }
        if link.isOpen { post(.link(.traffic)) }
    }
}

/// A connection that is being made: what of it is on its way.
struct Handshake: Sendable {
    var up: UInt64?
    var down: UInt64?
}

/// What is on its way over the link, by the numbers of the shell.
struct LinkMoves: Sendable {
    var up: UInt64?
    var down: UInt64?
}

extension GatewayRecord {
    fileprivate var isPush: Bool { if case .push = self { true } else { false } }

    fileprivate var app: AppIdentifier? {
        guard case .push(let push) = self else { return nil }
        return AppIdentifier(LinkPushType.app(of: push.topic))
    }
}

extension NotificationsCore.PushMessage {
    fileprivate init?(_ push: LinkPush) {
        guard let id = PushID(push.id) else { return nil }
        self.init(
            id: id, topic: push.topic, type: PushType(rawValue: push.type.rawValue) ?? .alert,
            priority: push.priority, collapse: push.collapse, payload: push.payload,
            received: WallTime(nanoseconds: Int64(push.at * 1000) * 1_000_000),
            expires: push.expires == 0 ? nil : WallTime(nanoseconds: push.expires * 1_000_000_000))
    }
}
