internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// The class of a configuration that remembers what Foundation's on Linux does not, and puts the gates in front of
/// Foundation's own way into the network. It has no stored properties: an object of Foundation's class becomes one of
/// this class when there is something to remember, or when a session is made of it. What it remembers is in a table.
// What it adds is behind a mutex.
final class ForegroundURLSessionConfiguration: URLSessionConfiguration, @unchecked Sendable {
    struct Wishes: Equatable, Sendable {
        var waitsForConnectivity = false
        var allowsExpensive = true
        var allowsConstrained = true
    }

    private struct Entry: Sendable {
        var wishes = Wishes()
        /// Where tests have a network of their own.
        var view: NetworkView?
        /// Requests pass the gate whatever they say.
        var isGated = false
        /// What the session that holds this copy has.
        var core: ForegroundCore?
    }

    private static let table = Mutex<[ObjectIdentifier: Entry]>([:])

    private var entry: Entry {
        get { Self.table.withLock { $0[ObjectIdentifier(self)] ?? Entry() } }
        set {
            // What is replaced goes after the lock: the end of a core ends a session, and with it a configuration.
            let old = Self.table.withLock { $0.updateValue(newValue, forKey: ObjectIdentifier(self)) }
            withExtendedLifetime(old) {}
        }
    }

    deinit {
        let old = Self.table.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        withExtendedLifetime(old) {}
    }

    /// Makes a configuration of Foundation's one of this class. `nil` for a background session's, and for subclasses of
    /// the program's own.
    @discardableResult
    static func adopt(_ configuration: URLSessionConfiguration) -> ForegroundURLSessionConfiguration? {
        if let own = configuration as? ForegroundURLSessionConfiguration { return own }
        guard type(of: configuration) == URLSessionConfiguration.self else { return nil }
        ObjectClass.replace(of: configuration, by: ForegroundURLSessionConfiguration.self)
        return configuration as? ForegroundURLSessionConfiguration
    }

    /// Those of Foundation's own class are as if nothing had been said.
    static func wishes(of configuration: URLSessionConfiguration) -> Wishes {
        (configuration as? ForegroundURLSessionConfiguration)?.entry.wishes ?? Wishes()
    }

    static func set(_ wishes: Wishes, of configuration: URLSessionConfiguration) {
        guard wishes != self.wishes(of: configuration) else { return }
        adopt(configuration)?.entry.wishes = wishes
    }

    var view: NetworkView {
        get { entry.view ?? .shared }
        set { entry.view = newValue }
    }

    var isGated: Bool {
        get { entry.isGated }
        set { entry.isGated = newValue }
    }

    /// What the session that holds this copy has, if it ever needed it.
    var presentCore: ForegroundCore? { entry.core }

    /// The same, made when it is first needed.
    var core: ForegroundCore {
        if let core = presentCore { return core }
        let new = ForegroundCore(self)
        return Self.table.withLock { table in
            let core = table[ObjectIdentifier(self)]?.core ?? new
            table[ObjectIdentifier(self), default: Entry()].core = core
            return core
        }
    }

    override func copy(with zone: NSZone?) -> Any {
        let copy = super.copy(with: zone)
        guard let configuration = copy as? URLSessionConfiguration, let own = Self.adopt(configuration) else {
            return copy
        }
        var entry = entry
        // Each session has its own.
        entry.core = nil
        own.entry = entry
        return own
    }

    /// With the gate right in front of Foundation's way into the network, so that the program's own protocols come
    /// first, as before.
    override var protocolClasses: [AnyClass]? {
        get {
            let plain = Self.withoutGates(super.protocolClasses ?? [])
            let gate: AnyClass = needsGate ? ConnectivityGate.self : RequestGate.self
            let place = plain.firstIndex { $0 == FoundationHTTP.type } ?? plain.endIndex
            return [PlaceHolder.self] + plain[..<place] + [gate] + plain[place...]
        }
        set { super.protocolClasses = newValue.map(Self.withoutGates) }
    }

    private var needsGate: Bool {
        let entry = entry
        return entry.isGated || entry.wishes != Wishes() || !allowsCellularAccess
    }

    private static func withoutGates(_ classes: [AnyClass]) -> [AnyClass] {
        classes.filter { $0 != PlaceHolder.self && $0 != ConnectivityGate.self && $0 != RequestGate.self }
    }
}

/// Foundation's own way into the network for HTTP, a class that it does not name.
enum FoundationHTTP {
    static let type: URLProtocol.Type? = {
        guard let url = URL(string: "http://localhost/") else { return nil }
        let request = URLRequest(url: url)
        return (URLSessionConfiguration.default.protocolClasses ?? []).lazy.compactMap { $0 as? URLProtocol.Type }
            .first { $0.canInit(with: request) }
    }()
}

/// Objects of Foundation's that become objects of ours.
enum ObjectClass {
    /// The class is the first word of an object. The two have the same size and layout, and what is overridden is
    /// dispatched through the class's table.
    static func replace(of object: AnyObject, by type: AnyClass) {
        let head = unsafe unsafeBitCast(object, to: UnsafeMutablePointer<UInt>.self)
        unsafe head.pointee = unsafeBitCast(type, to: UInt.self)
    }
}
