internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// Tells the Core what the machine says of itself. The kernel's news are a reason to look, nothing is polled; looking
/// is a worker's, one at a time, so that a machine whose links come and go by the dozen costs little.
final class ConditionWatch {
    private unowned let host: Host
    private let sources = ConditionSources()
    private let inotify = try? Inotify()
    private let links = try? Netlink(.network)
    private let devices = try? Netlink(.devices)
    private var watches: [Loop.Watch] = []
    /// Kinds that have to be looked at.
    private var pending: Set<SystemChange> = []
    private var isLooking = false

    private static let kinds: Set<SystemChange> = [.locale, .timeZone, .screen, .battery, .network]
    private static let files = ["localtime": SystemChange.timeZone, "timezone": .timeZone, "locale.conf": .locale]
    /// Between two looks.
    private static let pause: Int64 = 200_000_000

    init(_ host: Host) {
        self.host = host
        watch(links?.descriptor) { [unowned self] in if links?.read().isEmpty == false { look(at: [.network]) } }
        watch(devices?.descriptor) { [unowned self] in devicesChanged() }
        watch(inotify?.descriptor) { [unowned self] in filesChanged() }
        let changes: Inotify.Changes = [.created, .movedIn, .written, .removed, .movedAway]
        for folder in [sources.etc, sources.etc + "/default"] { _ = try? inotify?.watch(folder, for: changes) }
    }

    private func watch(_ descriptor: Descriptor?, _ body: @escaping () -> Void) {
        guard let descriptor, let watch = try? host.loop.watch(descriptor.rawValue, .readable, { _ in body() }) else {
            return
        }
        watches.append(watch)
    }

    /// At the start, before any app is told anything.
    func tellAll() {
        for condition in Self.read(sources, Self.kinds) { host.post(.conditionSensed(condition)) }
    }

    private func devicesChanged() {
        var kinds: Set<SystemChange> = []
        for message in devices?.read() ?? [] {
            switch Netlink.subsystem(message) {
            case "power_supply": kinds.insert(.battery)
            case "backlight", "drm": kinds.insert(.screen)
            // It had more to say than it could keep.
            case nil: kinds.formUnion([.battery, .screen])
            default: break
            }
        }
        look(at: kinds)
    }

    private func filesChanged() {
        var kinds: Set<SystemChange> = []
        for change in (try? inotify?.read()) ?? [] {
            if change.changes.contains(.overflow) { kinds.formUnion([.locale, .timeZone]) }
            if let kind = change.name.flatMap({ Self.files[$0] }) { kinds.insert(kind) }
            if change.name == "locale" { kinds.insert(.locale) }
        }
        look(at: kinds)
    }

    private func look(at kinds: Set<SystemChange>) {
        pending.formUnion(kinds)
        guard !isLooking, !pending.isEmpty else { return }
        isLooking = true
        let (sources, kinds) = (sources, pending)
        pending = []
        host.workers.run(.slow) {
            Self.read(sources, kinds)
        } then: { [unowned self] conditions in
            for condition in conditions where host.system.conditions.isNew(condition) {
                host.post(.conditionSensed(condition))
            }
            host.loop.after(nanoseconds: Self.pause) { [weak self] in
                self?.isLooking = false
                self?.look(at: [])
            }
        }
    }

    private static func read(_ sources: ConditionSources, _ kinds: Set<SystemChange>) -> [Condition] {
        kinds.sorted { $0.rawValue < $1.rawValue }.compactMap { kind in
            switch kind {
            case .locale: sources.locale()
            case .timeZone: sources.timeZone(at: Clock.wall() / 1_000_000_000)
            case .screen: sources.screen()
            case .battery: sources.battery()
            case .network: sources.network()
            case .settings, .significantTime, .backgroundRefresh: nil
            }
        }
    }
}
