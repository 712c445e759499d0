public import Dispatch
internal import Foundation
internal import Synchronization
internal import UIKit

/// A way into the network.
public struct NWInterface: Hashable, Sendable {
    /// What kind of way it is.
    public enum InterfaceType: Hashable, Sendable {
        case other, wifi, cellular, wiredEthernet, loopback
    }

    /// What kind of way it is.
    public let type: InterfaceType
    /// Its name; of the kind, since apps are not told of devices.
    public var name: String {
        switch type {
        case .wifi: "wifi"
        case .cellular: "cellular"
        case .wiredEthernet: "ethernet"
        case .loopback: "lo"
        case .other: "other"
        }
    }
}

/// What the network is like.
public struct NWPath: Equatable, Sendable {
    /// Whether there is a network.
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    /// Why there is none.
    public enum UnsatisfiedReason: Sendable {
        case notAvailable, cellularDenied, wifiDenied, localNetworkDenied
    }

    /// Whether there is a network.
    public let status: Status
    /// The ways into it, the best first.
    public let availableInterfaces: [NWInterface]

    /// Whether the network costs money: of a phone.
    public var isExpensive: Bool { usesInterfaceType(.cellular) }
    /// Whether the user saves data. No profile of a device says so.
    public var isConstrained: Bool { false }
    /// Whether names can be looked up.
    public var supportsDNS: Bool { status == .satisfied }
    /// Whether there is a network of the old addresses.
    public var supportsIPv4: Bool { status == .satisfied }
    /// Whether there is a network of the new addresses.
    public var supportsIPv6: Bool { status == .satisfied }
    /// Why there is no network.
    public var unsatisfiedReason: UnsatisfiedReason { .notAvailable }

    /// Whether the network is reached in a way.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        availableInterfaces.contains { $0.type == type }
    }

    /// - Parameter accepted: whether a way counts.
    init(_ kind: UIDevice.NetworkKind, accepted: (NWInterface.InterfaceType) -> Bool) {
        let type: NWInterface.InterfaceType? =
            switch kind {
            case .none: nil
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wiredEthernet
            }
        let way = type.flatMap { accepted($0) ? NWInterface(type: $0) : nil }
        status = way == nil ? .unsatisfied : .satisfied
        availableInterfaces = way.map { [$0] } ?? []
    }
}

/// Watches what the system tells the app of the network. Use it on any thread.
///
/// Behind it is the device's network: the real one, or the one that `greenroom simulate network` or a test sets.
public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var path: NWPath
        var queue: DispatchQueue?
        // The notification center's own object: only given back to it.
        nonisolated(unsafe) var token: (any NSObjectProtocol)?
    }

    private let accepted: @Sendable (NWInterface.InterfaceType) -> Bool
    private let state: Mutex<State>

    /// Watches every network.
    public convenience init() { self.init(accepting: { _ in true }) }

    /// Watches networks that are reached in one way.
    public convenience init(requiredInterfaceType type: NWInterface.InterfaceType) {
        self.init(accepting: { $0 == type })
    }

    /// Watches networks that are not reached in some ways.
    public convenience init(prohibitedInterfaceTypes types: [NWInterface.InterfaceType]) {
        self.init(accepting: { !types.contains($0) })
    }

    private init(accepting accepted: @escaping @Sendable (NWInterface.InterfaceType) -> Bool) {
        self.accepted = accepted
        state = Mutex(State(handler: nil, path: NWPath(.none, accepted: accepted), queue: nil, token: nil))
    }

    deinit { cancel() }

    /// Called on the monitor's queue with what the network is like: once it has started, and at each change.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// What the network was like when it was last heard of; before the start, as if there were none.
    public var currentPath: NWPath { state.withLock { $0.path } }

    /// Where the handler is called.
    public var queue: DispatchQueue? { state.withLock { $0.queue } }

    /// Begins to watch. Once cancelled, a monitor watches no more.
    ///
    /// - Parameter queue: where the handler is called.
    public func start(queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            guard state.queue == nil else { return false }
            state.queue = queue
            return true
        }
        guard isFirst else { return }
        let token = NotificationCenter.default.addObserver(
            forName: UIDevice.networkDidChangeNotification, object: nil, queue: nil
        ) { [weak self] _ in self?.look() }
        // Only given back to the center, which any thread may do.
        nonisolated(unsafe) let sent = token
        state.withLock { unsafe $0.token = sent }
        DispatchQueue.main.async { self.look() }
    }

    /// Watches no longer.
    public func cancel() {
        let token = state.withLock { state in
            defer { unsafe state.token = nil }
            state.handler = nil
            // As above.
            nonisolated(unsafe) let token = unsafe state.token
            return unsafe token
        }
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    /// The system tells the app on its main thread.
    private func look() {
        let kind = MainActor.assumeIsolated { UIDevice.current.networkKind }
        let path = NWPath(kind, accepted: accepted)
        let queue = state.withLock { state in
            state.path = path
            return state.queue
        }
        queue?.async { self.pathUpdateHandler?(path) }
    }
}
