internal import Dispatch

/// Whether a name that was claimed is owned.
package enum DBusClaim: Hashable, Sendable {
    /// There is no bus, or it has yet to answer.
    case none
    case owned
    /// Another program has it; this one is next when that goes.
    case queued
    /// The bus refuses to give it.
    case refused(DBusError)
}

/// A name that this connection wants.
struct Claim {
    let replaces: Bool
    var state = DBusClaim.none
    weak var registration: DBusRegistration?
    let handler: (DBusClaim) -> Void
}

extension DBusConnection {
    /// Claims a name, as long as the registration is kept: at once, or when its owner goes. With `replaces` it is taken
    /// from an owner that allows it. A name is claimed once at a time.
    package func own(
        _ name: String, replaces: Bool = false, _ handler: @escaping (DBusClaim) -> Void = { _ in }
    ) -> DBusRegistration {
        dispatchPrecondition(condition: .onQueue(queue))
        let registration = registration { $0.disown(name) }
        claims[name] = Claim(replaces: replaces, registration: registration, handler: handler)
        request(name)
        return registration
    }

    private func disown(_ name: String) {
        // Claimed anew meanwhile.
        guard claims[name]?.registration == nil, claims.removeValue(forKey: name) != nil else { return }
        callBus("ReleaseName", [.string(name)])
    }

    func request(_ name: String) {
        guard let claim = claims[name] else { return }
        let allowsReplacement: UInt32 = 1
        let flags = allowsReplacement | (claim.replaces ? 2 : 0)
        callBus("RequestName", [.string(name), .uint32(flags)]) { [weak self] result in
            switch result {
            case .success(let values): self?.setClaim(name, values.first == .uint32(2) ? .queued : .owned)
            case .failure(.disconnected), .failure(.notConnected): break
            case .failure(let error): self?.setClaim(name, .refused(error))
            }
        }
    }

    func setClaim(_ name: String, _ state: DBusClaim) {
        guard let claim = claims[name], claim.state != state else { return }
        claims[name]?.state = state
        if claim.registration != nil { claim.handler(state) }
    }

    /// Another program took it, and this one is in the queue again.
    func lostClaim(_ name: String) {
        if claims[name]?.state == .owned { setClaim(name, .queued) }
    }
}
