internal import FoundationEssentials
internal import Model
internal import PolicyCore
internal import Storage

/// Which apps have ever connected to which service, kept in the database: a service may speak of these alone, also
/// after the device was started anew, when the journal is gone.
final class ServiceRegistrations {
    private unowned let host: Host
    /// The apps' identifiers, by the service's name.
    private var apps: [String: Set<String>]

    private static let key = "services"

    init(_ host: Host) {
        self.host = host
        let text = (try? host.store.setting(Self.key)) ?? ""
        apps = (try? JSONDecoder().decode([String: Set<String>].self, from: Data(text.utf8))) ?? [:]
    }

    /// What a new system does not know of a service.
    func restore(_ link: ServiceLink) {
        let known = link.known?.known ?? []
        let indices = (apps[link.name] ?? []).compactMap { AppIdentifier($0) }.compactMap(host.system.index(of:))
        let others = indices.filter { !known.contains($0) }.sorted()
        if !others.isEmpty { host.post(.service(.remembered(link.index, others))) }
    }

    /// - Parameter then: called when it is on the disk, at once where it is known.
    func keep(_ app: String, at service: String, then: @escaping () -> Void) {
        guard apps[service, default: []].insert(app).inserted else { return then() }
        save { [weak self] isSaved in
            // A disk may be full for a while: the next connection tries again.
            if !isSaved { self?.apps[service]?.remove(app) }
            then()
        }
    }

    func forget(_ app: String, at service: String) {
        if apps[service]?.remove(app) != nil { save { _ in } }
    }

    private func save(_ then: @escaping (_ isSaved: Bool) -> Void) {
        let (apps, store) = (apps, host.store)
        host.workers.run(.storage) { () -> Bool in
            guard let json = try? JSONEncoder().encode(apps) else { return false }
            return (try? store.set(Self.key, to: String(decoding: json, as: UTF8.self))) != nil
        } then: {
            then($0)
        }
    }
}
