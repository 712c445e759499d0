internal import CoreMetrics
internal import LinuxSystem
internal import Logging
internal import Model
internal import NATSClient
internal import NIOCore
internal import PushCore
internal import Synchronization

/// What the desks of a node share: the store, and the way to other nodes.
final class Fleet: Sendable {
    let client: NATSClient
    let names: FleetNames
    /// This process. The next one of this gateway is another node: it has none of this one's devices.
    let node = UInt64.random(in: 1 ... .max)
    let rules: PushRules
    let metrics: GatewayMetrics
    let logger: Logger
    private let parts: Int

    private static let timeout = Span.seconds(3)

    init(
        _ client: NATSClient, _ names: FleetNames, parts: Int, rules: PushRules, metrics: GatewayMetrics, logger: Logger
    ) {
        self.client = client
        self.names = names
        self.parts = parts
        self.rules = rules
        self.metrics = metrics
        self.logger = logger
    }

    /// Bytes of a mailbox. JetStream's leader gives it as Base64 within JSON.
    var limit: Int { client.longestPayload / 2 }

    func read(
        _ device: DeviceID, fromLeader: Bool, on loop: any EventLoop,
        _ answer: @escaping @Sendable (MailboxReading) -> Void
    ) {
        let (stream, subject) = names.mailbox(device, of: parts)
        let logger = logger
        client.newest(of: subject, in: stream, fromLeader: fromLeader, within: Self.timeout) { result in
            let reading: MailboxReading
            switch result {
            case .success(nil): reading = .found(nil, sequence: 0)
            case .success(let message?):
                if let mailbox = try? Mailbox(message.payload, device: device), let sequence = message.sequence {
                    reading = .found(mailbox, sequence: sequence)
                } else {
                    logger.error("a mailbox cannot be read", metadata: ["device": "\(device)"])
                    reading = .failed
                }
            case .failure: reading = .failed
            }
            loop.execute { answer(reading) }
        }
    }

    func write(
        _ mailbox: Mailbox, _ device: DeviceID, after sequence: UInt64, on loop: any EventLoop,
        _ answer: @escaping @Sendable (MailboxWriting) -> Void
    ) {
        let (_, subject) = names.mailbox(device, of: parts)
        let began = Instant.now
        let metrics = metrics
        let logger = logger
        metrics.batch.record(mailbox.messages.count)
        client.store(
            mailbox.encoded, on: subject, after: sequence, identifier: "\(device)@\(sequence)", within: Self.timeout
        ) { storing in
            let writing: MailboxWriting
            switch storing {
            case .done(let sequence):
                metrics.commit.recordNanoseconds((Instant.now - began).nanoseconds)
                writing = .done(sequence: sequence)
            case .conflict: writing = .conflict
            case .failed(let error):
                logger.debug("a mailbox was not written", metadata: ["error": "\(error)", "device": "\(device)"])
                writing = .unknown
            }
            loop.execute { answer(writing) }
        }
    }

    /// - Parameter answer: hears `moved` if that node is not there, and `nil` if it did not answer.
    func deliver(
        _ message: PushMessage, to node: UInt64, on loop: any EventLoop,
        _ answer: @escaping @Sendable (MailboxOutcome?) -> Void
    ) {
        client.request(NodeMessage.deliver(message).encoded, to: names.node(node), within: .seconds(5)) { result in
            let outcome: MailboxOutcome?
            switch result {
            case .success(let message): outcome = MailboxOutcome(message.payload)
            case .failure(.noResponders): outcome = .moved
            case .failure: outcome = nil
            }
            loop.execute { answer(outcome) }
        }
    }

    func tell(_ node: UInt64, _ message: NodeMessage) { client.publish(message.encoded, to: names.node(node)) }
}
