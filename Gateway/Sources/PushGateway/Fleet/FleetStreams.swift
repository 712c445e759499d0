internal import Logging
internal import Model
internal import NATSClient
internal import PushCore

/// Makes the streams of a fleet, and gives them more replicas when there are more servers.
struct FleetStreams: Sendable {
    let client: NATSClient
    let names: FleetNames
    let settings: FleetSettings
    let logger: Logger

    private static let timeout = Span.seconds(5)
    /// Codes of JetStream: there are not as many servers, or it is no cluster.
    private static let tooFewServers: Set<Int> = [10_005, 10_074]
    /// Another gateway has just made it.
    private static let isThere: Set<Int> = [10_058]

    private var usualReplicas: Int { 3 }

    private func fleet(_ replicas: Int) -> NATSStream {
        NATSStream(
            name: names.fleetStream, subjects: names.fleet, replicas: replicas,
            republishes: (names.fleet, names.changes))
    }

    private func mailboxes(_ part: Int, _ replicas: Int) -> NATSStream {
        NATSStream(name: names.mailboxStream(part), subjects: names.mailboxes(part), replicas: replicas)
    }

    func makeFleet() async throws(NATSError) { _ = try await make(fleet) }

    /// - Returns: bytes that all mailboxes take.
    func makeMailboxes(_ parts: Int) async throws(NATSError) -> Int {
        var bytes = 0
        for part in 0..<parts { bytes += try await make { mailboxes(part, $0) }.bytes }
        return bytes
    }

    /// Makes a stream if it is not there.
    private func make(_ stream: (Int) -> NATSStream) async throws(NATSError) -> NATSStreamState {
        let wanted = settings.replicas ?? usualReplicas
        guard let state = try await client.state(of: stream(1).name, within: Self.timeout) else {
            return try await create(stream, wanted)
        }
        guard state.replicas != wanted, state.isClustered || settings.replicas != nil else { return state }
        do throws(NATSError) {
            return try await client.update(stream(wanted), within: Self.timeout)
        } catch {
            guard settings.replicas == nil, case .refused(let code, _) = error, Self.tooFewServers.contains(code) else {
                throw error
            }
            return state
        }
    }

    private func create(_ stream: (Int) -> NATSStream, _ wanted: Int) async throws(NATSError) -> NATSStreamState {
        do throws(NATSError) {
            return try await client.make(stream(wanted), within: Self.timeout)
        } catch {
            guard case .refused(let code, _) = error else { throw error }
            if Self.isThere.contains(code), let state = try await client.state(of: stream(1).name, within: Self.timeout)
            {
                return state
            }
            guard settings.replicas == nil, Self.tooFewServers.contains(code) else { throw error }
            logger.notice(
                "there are fewer than three servers of NATS: each message has one copy",
                metadata: ["stream": "\(stream(1).name)"])
            return try await client.make(stream(1), within: Self.timeout)
        }
    }
}
