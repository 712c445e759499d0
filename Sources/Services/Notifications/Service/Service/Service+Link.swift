internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import PushLink
internal import ServiceKit
internal import Wire

// What the gateway sends, and where it is.
extension Service: LinkAgent.Client {
    func link(_ news: LinkNews) { post(.link(news)) }

    func link(received push: LinkPush) {
        // A gateway that says what is no message has it taken back: it would send it for ever.
        guard let message = PushMessage(push) else {
            note("\(push.topic): push \(push.id.prefix(40)) is dropped: its id is no UUID")
            return link.acknowledge(push.number)
        }
        post(.pushArrived(message, sequence: UInt64(clamping: push.number)))
    }

    func linkChanged() {
        armTimer()
        armIdle()
    }

    func link(moved traffic: LinkTraffic) {
        let pushed = traffic.pushes.values.reduce(0, +)
        guard pushed > 0 else { return tell(traffic, app: nil, .keepAlive, 1) }
        for (topic, bytes) in traffic.pushes {
            let app = PushMessage(
                id: PushID(high: 0, low: 0), topic: topic, payload: "", received: WallTime(nanoseconds: 0)
            ).app
            tell(traffic, app: app, .push, Double(bytes) / Double(pushed))
        }
    }

    private func tell(_ traffic: LinkTraffic, app: AppIdentifier?, _ purpose: Purpose, _ share: Double) {
        broker.tell(
            .traffic,
            ServiceTraffic(
                app: app?.rawValue, purpose: purpose.name, sent: Int64(Double(traffic.sent) * share),
                received: Int64(Double(traffic.received) * share), from: Double(traffic.from) / 1e9,
                to: Double(traffic.to) / 1e9
            ).json)
    }

    // MARK: Where it is

    /// Says where the gateway is, and keeps that.
    func set(_ setting: GatewaySetting?, then completion: @escaping () -> Void) {
        gateway = setting
        enqueue(
            Batch(changes: [.gateway(setting)], effects: []) { [unowned self] in
                applyGateway()
                completion()
            })
    }

    func applyGateway() {
        let target = gateway.flatMap { LinkTarget($0.url, roots: $0.roots) }
        link.set(target)
        // The tokens hang on where it is, not on whom it is to be believed.
        post(.link(.gateway(target.map { "\($0.host) \($0.port)" })))
    }
}

extension PushMessage {
    init?(_ push: LinkPush) {
        guard let id = PushID(push.id) else { return nil }
        self.init(
            id: id, topic: push.topic, type: PushType(rawValue: push.type.rawValue) ?? .alert,
            priority: push.priority, collapse: push.collapse, payload: push.payload, received: WallTime(wire: push.at),
            expires: push.expires == 0 ? nil : WallTime(wire: Double(push.expires)))
    }
}
