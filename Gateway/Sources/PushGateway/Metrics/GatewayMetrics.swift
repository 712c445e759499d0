internal import CoreMetrics
internal import Metrics
internal import PushCore
internal import PushLink

/// What a gateway counts. `docs/PUSH.md` says what each is for.
struct GatewayMetrics: Sendable {
    private let accepted: [LinkPushType: Counter]
    private let rejected: [PushReason: Counter]
    /// From a request's last byte to its answer, of what was accepted.
    let answer: Timer
    let providers: Meter
    let devices: Meter
    /// Those of the devices' connections that have not proven a device.
    let unproven: Meter
    /// Bytes that waited for a device which did not read, when its connection was ended.
    let unread: Recorder
    /// Messages that went to a device, repetitions included.
    let sent: Counter
    let acknowledged: Counter
    /// Messages that were to be delivered now or never, and could not be.
    let dropped: Counter
    let expired: Counter
    let superseded: Counter
    let commit: Timer
    let batch: Recorder
    let storedBytes: Meter
    private let ended: [LinkGoodbye: Counter]
    let badConnections: Counter

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: "greenroom_push_" + name, dimensions: dimensions, factory: factory)
        }
        accepted = Dictionary(
            uniqueKeysWithValues: LinkPushType.allCases.map { ($0, counter("accepted_total", [("type", $0.rawValue)])) }
        )
        rejected = Dictionary(
            uniqueKeysWithValues: PushReason.allCases.map {
                ($0, counter("rejected_total", [("reason", $0.rawValue)]))
            })
        ended = Dictionary(
            uniqueKeysWithValues: LinkGoodbye.allCases.map {
                ($0, counter("device_connections_ended_total", [("reason", $0.rawValue)]))
            })
        answer = Timer(label: "greenroom_push_answer_seconds", dimensions: [], factory: factory)
        providers = Meter(label: "greenroom_push_provider_connections", dimensions: [], factory: factory)
        devices = Meter(label: "greenroom_push_device_connections", dimensions: [], factory: factory)
        unproven = Meter(label: "greenroom_push_unproven_connections", dimensions: [], factory: factory)
        unread = Recorder(label: "greenroom_push_unread_bytes", dimensions: [], aggregate: true, factory: factory)
        sent = counter("sent_total")
        acknowledged = counter("acknowledged_total")
        dropped = counter("dropped_total")
        expired = counter("expired_total")
        superseded = counter("superseded_total")
        badConnections = counter("provider_connections_broken_total")
        commit = Timer(label: "greenroom_push_commit_seconds", dimensions: [], factory: factory)
        batch = Recorder(
            label: "greenroom_push_commit_changes", dimensions: [], aggregate: true, factory: factory)
        storedBytes = Meter(label: "greenroom_push_stored_bytes", dimensions: [], factory: factory)
    }

    func accept(_ type: LinkPushType) { accepted[type]?.increment() }
    func reject(_ reason: PushReason) { rejected[reason]?.increment() }
    func end(_ reason: LinkGoodbye) { ended[reason]?.increment() }
}
