internal import AppRuntime
internal import Dispatch
internal import LinuxSystem
internal import Wire

/// The network that the machine's routes lead to, for programs that the system did not start. The kernel's news are a
/// reason to look; nothing is watched while nothing waits, and nothing is polled.
// Its variables are used on its queue only.
final class MachineNetwork: @unchecked Sendable {
    static let shared = MachineNetwork(DefaultLink())
    private let link: DefaultLink
    /// Observers, and what was seen last while there were any.
    private let news = NetworkNews()
    private let queue = DispatchQueue(label: "greenroom.network")
    private var watch: (any DispatchSourceRead)?
    private var isDue = false

    /// Links come and go by the dozen: they are looked at together.
    private static let pause = DispatchTimeInterval.milliseconds(200)

    init(_ link: DefaultLink) { self.link = link }

    /// As it is at this moment.
    var network: NetworkNews.Network {
        switch link.kind {
        case nil: .none
        case .wireless?: .wifi
        case .modem?: .cellular
        case .wired?: .wired
        }
    }

    func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        let token = news.observe(observer)
        // What was seen before the watch began is old.
        queue.async {
            self.beginWatch()
            self.news.tell(self.network)
        }
        return token
    }

    func ignore(_ token: Int) {
        news.ignore(token)
        queue.async {
            guard !self.news.isObserved else { return }
            self.watch?.cancel()
            self.watch = nil
        }
    }

    /// On the queue.
    private func beginWatch() {
        guard watch == nil, let links = try? Netlink(.network) else { return }
        let watch = DispatchSource.makeReadSource(fileDescriptor: links.descriptor.rawValue, queue: queue)
        watch.setEventHandler { [weak self] in if !links.read().isEmpty { self?.lookSoon() } }
        watch.setCancelHandler { withExtendedLifetime(links) {} }
        watch.resume()
        self.watch = watch
    }

    private func lookSoon() {
        guard !isDue else { return }
        isDue = true
        queue.asyncAfter(deadline: .now() + Self.pause) {
            self.isDue = false
            self.news.tell(self.network)
        }
    }
}
