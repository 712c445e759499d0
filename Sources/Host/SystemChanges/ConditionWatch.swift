internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// Tells the Core what the machine says of itself. The kernel's news are a reason to look, and nothing is polled while
/// no app runs; looking is a worker's, one at a time, so that a machine whose links come and go by the dozen costs
/// little. Of temperatures the kernel has no news, so they are looked at with the apps that run.
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
    /// `nil`: zones may have come or gone.
    private var thermal: ThermalZones?
    /// Of the platform's profile.
    private var powerWatch: CInt?
    private let stores: SharedStores
    private var storeWatches: StoreWatches?
    /// They have to be looked for before the stores are looked at.
    private var storesMoved = true

    private static let kinds: Set<SystemChange> = [
        .locale, .timeZone, .screen, .battery, .network, .lowPower, .thermalState, .sharedStores,
    ]
    private static let files = ["localtime": SystemChange.timeZone, "timezone": .timeZone, "locale.conf": .locale]
    /// Between two looks.
    private static let pause: Int64 = 200_000_000

    init(_ host: Host) {
        self.host = host
        stores = SharedStores(host.system.profile.stores ?? [:])
        watch(links?.descriptor) { [unowned self] in if links?.read().isEmpty == false { look(at: [.network]) } }
        watch(devices?.descriptor) { [unowned self] in devicesChanged() }
        watch(inotify?.descriptor) { [unowned self] in filesChanged() }
        let changes: Inotify.Changes = [.created, .movedIn, .written, .removed, .movedAway]
        for folder in [sources.etc, sources.etc + "/default"] { _ = try? inotify?.watch(folder, for: changes) }
        // The kernel tells of it as of a file that was written, also when a key changed it.
        powerWatch = try? inotify?.watch(sources.powerProfile, for: .modified)
        storeWatches = StoreWatches(stores)
        watch(storeWatches?.descriptor) { [unowned self] in storesChanged() }
    }

    private func watch(_ descriptor: Descriptor?, _ body: @escaping () -> Void) {
        guard let descriptor, let watch = try? host.loop.watch(descriptor.rawValue, .readable, { _ in body() }) else {
            return
        }
        watches.append(watch)
    }

    /// At the start, before any app is told anything.
    func tellAll() {
        let look = reading(of: Self.kinds)()
        thermal = look.thermal
        if let watches = look.storeWatches { storeWatches = watches }
        for condition in look.conditions { host.post(.conditionSensed(condition)) }
    }

    /// An app runs, and is looked at anyway.
    func appIsLookedAt() {
        if thermal?.isEmpty != true { look(at: [.thermalState]) }
    }

    private func devicesChanged() {
        var kinds: Set<SystemChange> = []
        for message in devices?.read() ?? [] {
            switch Netlink.subsystem(message) {
            case "power_supply": kinds.insert(.battery)
            case "backlight", "drm": kinds.insert(.screen)
            case "thermal": kinds.insert(.thermalState)
            // It had more to say than it could keep.
            case nil: kinds.formUnion([.battery, .screen, .thermalState])
            default: break
            }
        }
        if kinds.contains(.thermalState) { thermal = nil }
        look(at: kinds)
    }

    private func filesChanged() {
        var kinds: Set<SystemChange> = []
        for change in (try? inotify?.read()) ?? [] {
            if change.changes.contains(.overflow) {
                kinds.formUnion([.locale, .timeZone, .lowPower])
            }
            if change.watch == powerWatch { kinds.insert(.lowPower) }
            if let kind = change.name.flatMap({ Self.files[$0] }) { kinds.insert(kind) }
            if change.name == "locale" { kinds.insert(.locale) }
        }
        look(at: kinds)
    }

    private func storesChanged() {
        guard let news = storeWatches?.news() else { return }
        if news == .place { storesMoved = true }
        look(at: [.sharedStores])
    }

    private func look(at kinds: Set<SystemChange>) {
        pending.formUnion(kinds)
        guard !isLooking, !pending.isEmpty else { return }
        isLooking = true
        let (reading, findsZones) = (self.reading(of: pending), thermal == nil)
        pending = []
        host.workers.run(
            .slow, reading,
            then: { [unowned self] look in
                if findsZones { thermal = look.thermal }
                if let watches = look.storeWatches { storeWatches = watches }
                for condition in look.conditions where host.system.conditions.isNew(condition) {
                    host.post(.conditionSensed(condition))
                }
                host.loop.after(nanoseconds: Self.pause) { [weak self] in
                    self?.isLooking = false
                    self?.look(at: [])
                }
            })
    }

    private struct Look: Sendable {
        var conditions: [Condition]
        var thermal: ThermalZones
        /// Where they were looked for.
        var storeWatches: StoreWatches?
    }

    /// Reads what there is of these, on whatever thread.
    private func reading(of kinds: Set<SystemChange>) -> @Sendable () -> Look {
        let (sources, known, warmth) = (sources, thermal, host.system.conditions.sensedThermalState)
        let stores = stores
        // Before the stores are looked at, so that nothing is missed in between.
        let moved = kinds.contains(.sharedStores) && storesMoved ? storeWatches : nil
        if kinds.contains(.sharedStores) { storesMoved = false }
        return {
            var watches = moved
            watches?.arm()
            let thermal = known ?? ThermalZones(sys: sources.sys)
            var conditions = kinds.sorted { $0.rawValue < $1.rawValue }.compactMap { kind -> Condition? in
                switch kind {
                case .locale: sources.locale()
                case .timeZone: sources.timeZone(at: Clock.wall() / 1_000_000_000)
                case .screen: sources.screen()
                case .battery: sources.battery()
                case .network: sources.network()
                case .lowPower: sources.lowPower()
                case .thermalState: thermal.state(after: warmth).map(Condition.thermalState)
                // No sensor is read yet: that takes a service of the machine, which turns it on while somebody wants
                // to know.
                case .orientation: nil
                // What the Core knows by itself, and what only happens.
                case .settings, .significantTime, .backgroundRefresh, .sharedStores, .protectedData, .screenshot,
                    .memory:
                    nil
                }
            }
            if kinds.contains(.sharedStores) { conditions += stores.read().map(Condition.store) }
            return Look(conditions: conditions, thermal: thermal, storeWatches: watches)
        }
    }
}
