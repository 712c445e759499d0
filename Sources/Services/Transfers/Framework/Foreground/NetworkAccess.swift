package import AppRuntime
internal import Foundation
package import FoundationNetworking
package import LinuxSystem
internal import Wire

/// Which networks a request may use, and what becomes of it where there is none of them. A value, no I/O.
struct NetworkAccess: Equatable, Sendable {
    /// Why a request may not use the network that there is. The numbers are those of Apple's
    /// `URLError.NetworkUnavailableReason`.
    enum Reason: Int, Sendable {
        case cellular = 0
        case expensive = 1
        case constrained = 2
    }

    enum Verdict: Equatable, Sendable {
        case allowed
        /// There is no network, or, with a reason, none that the request may use.
        case unavailable(Reason?)
    }

    var waits = false
    var allowsCellular = true
    var allowsExpensive = true
    var allowsConstrained = true

    /// What the session says and what the request says: both have to allow it.
    init(_ configuration: URLSessionConfiguration, _ request: URLRequest) {
        let wishes = ForegroundURLSessionConfiguration.wishes(of: configuration)
        waits = wishes.waitsForConnectivity
        allowsExpensive = wishes.allowsExpensive
        allowsConstrained = wishes.allowsConstrained
        allowsCellular = configuration.allowsCellularAccess && request.allowsCellularAccess
    }

    /// - Parameters:
    ///   - network: the network that there is; `nil` where it is not known, which restricts nothing.
    ///   - isConstrained: whether the user saves data on it.
    func verdict(_ network: NetworkNews.Network?, isConstrained: Bool = false) -> Verdict {
        guard let network else { return .allowed }
        switch network {
        case .none: return .unavailable(nil)
        case .cellular where !allowsCellular: return .unavailable(.cellular)
        // The network of a phone is the one that costs money.
        case .cellular where !allowsExpensive: return .unavailable(.expensive)
        case .cellular, .wifi, .wired: break
        }
        return isConstrained && !allowsConstrained ? .unavailable(.constrained) : .allowed
    }
}

extension URLSessionConfiguration {
    /// Has sessions of this configuration find another network than the process's own: a test's.
    ///
    /// - Parameter machine: what the machine's routes are, where they count.
    package func find(_ news: NetworkNews, machine: DefaultLink? = nil) {
        ForegroundURLSessionConfiguration.adopt(self)?.view = NetworkView(
            news: news, machine: machine.map(MachineNetwork.init))
    }
}

/// The network that requests of foreground sessions find.
///
/// What the system tells an app counts, also where it is simulated, and it counts for every host. A program that the
/// system did not start sees the machine's own routes, which say nothing of the way to the machine itself.
struct NetworkView: Sendable {
    let news: NetworkNews
    let machine: MachineNetwork?

    static let shared = NetworkView(news: .shared, machine: .shared)

    func network(for url: URL?) -> NetworkNews.Network? {
        if let told = news.network { return told }
        guard let machine, !Self.isHere(url) else { return nil }
        return machine.network
    }

    /// Calls at each change, until the result is called.
    func observe(_ observer: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let told = news.observe(observer)
        // Watched also where the system has said something only later.
        let seen = machine?.observe(observer)
        return { [news, machine] in
            news.ignore(told)
            if let seen { machine?.ignore(seen) }
        }
    }

    private static func isHere(_ url: URL?) -> Bool {
        guard let host = url?.host?.lowercased() else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
            || host == "[::1]"
    }
}
