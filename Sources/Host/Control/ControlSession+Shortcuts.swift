internal import AppProtocol
internal import PolicyCore
internal import Wire

/// Apps that are opened for one of their shortcuts, or to go on with an activity.
extension ControlSession {
    private func reader(of app: Installation) -> @Sendable () throws(RPCError) -> JSONValue {
        { [installer = host.installer] () throws(RPCError) in
            do {
                return try JSONValue(parsing: try installer.shortcuts(of: app))
            } catch let failure as Installer.Failure {
                throw RPCError(.refused, failure.sentence)
            } catch {
                throw RPCError(.internalError, "the shortcuts of \(app.name) could not be read: \(error)")
            }
        }
    }

    func shortcuts(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let look = reader(of: try installation(params))
        read(.slow, id) { try look() }
    }

    func invite(_ invitation: Invitation, _ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let (installation, wait) = (try installation(params), try params.waits)
        // Within the bounds of any URL.
        let url = try JSONValue.object(["url": .string(invitation.url(for: installation.identifier))]).url
        guard case .shortcut(let type) = invitation else {
            return command(.openURL(url, wait: wait), id) { [unowned self] in opened($0) }
        }
        let (look, end) = (reader(of: installation), outcome(id))
        host.workers.run(.slow) { () -> RPCError? in
            do throws(RPCError) {
                let known = (try look()["shortcuts"]?.array ?? []).compactMap { $0["type"]?.string }
                if known.contains(type) { return nil }
                let others = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
                return RPCError(.refused, "\(installation.name) has no shortcut \(type.prefix(127)): \(others)")
            } catch {
                return error
            }
        } then: { [weak self] failure in
            guard let self else { return }
            if let failure { return end(.failure(failure)) }
            _ = host.command(.openURL(url, wait: wait)) { [weak self] answer in
                switch answer {
                case .done(let app): end(.success(self?.opened(app) ?? [:]))
                case .refused(let refusal): end(.failure(RPCError(refusal)))
                case .overtaken(let refusal): end(.failure(RPCError(.ended, refusal.sentence)))
                }
            }
        }
    }
}
