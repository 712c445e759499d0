internal import Dispatch
package import LocationClient
internal import LocationModel
internal import Synchronization

/// What managers, updates and monitors of one app have in common: its end of the wire to the service, and who of them
/// hears what.
package final class LocationHome: LocationAudience {
    /// What of the process around it matters; another one in tests.
    package struct Surroundings: Sendable {
        /// The app's `UIBackgroundModes`.
        package var backgroundModes: @Sendable () -> [String]
        /// Says something to the developer.
        package var complain: @Sendable (String) -> Void
        /// Where monitors keep their records; `nil`: nowhere.
        package var folder: @Sendable () -> URL?

        package init(
            backgroundModes: @escaping @Sendable () -> [String], complain: @escaping @Sendable (String) -> Void,
            folder: @escaping @Sendable () -> URL?
        ) {
            (self.backgroundModes, self.complain, self.folder) = (backgroundModes, complain, folder)
        }

        /// The app's.
        package static let process = Surroundings(
            backgroundModes: {
                let information = LocationClient.information ?? Bundle.main.infoDictionary ?? [:]
                return information["UIBackgroundModes"] as? [String] ?? []
            },
            complain: { try? FileHandle.standardError.write(contentsOf: Data("\($0)\n".utf8)) },
            folder: {
                let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
                return folders.first?.appendingPathComponent("CoreLocation", isDirectory: true)
            })
    }

    struct WeakManager: Sendable {
        let number: Int64
        weak var value: CLLocationManager?
    }

    struct WeakMonitor: Sendable {
        weak var value: MonitorCore?
    }

    struct Listeners: Sendable {
        /// In the order in which they were made.
        var managers: [WeakManager] = []
        var live: [Int64: LiveUpdates] = [:]
        var monitors: [String: WeakMonitor] = [:]
        var diagnoses: [Int64: Diagnosis] = [:]
        /// Background activity sessions.
        var sessions: Set<Int64> = []
    }

    /// The app's.
    package static let shared = {
        let home = LocationHome(.shared)
        home.client.takeWakes()
        return home
    }()
    /// What objects that are made now belong to; another one than `shared` in tests.
    @TaskLocal package static var current = LocationHome.shared

    package let client: LocationClient
    let surroundings: Surroundings
    let listeners = Mutex(Listeners())

    package init(_ client: LocationClient, _ surroundings: Surroundings = .process) {
        self.client = client
        self.surroundings = surroundings
        client.whenReset { [weak self] in self?.forget() }
        client.use(self)
    }

    /// The app is gone; what it has left hears nothing any more.
    private func forget() {
        let before = listeners.withLock { listeners in
            defer { listeners = Listeners() }
            return listeners
        }
        for manager in before.managers { manager.value?.forget() }
        for live in before.live.values { live.finish() }
        for monitor in before.monitors.values { monitor.value?.finish() }
        for diagnosis in before.diagnoses.values { diagnosis.finish() }
    }

    // MARK: What the app may know

    /// As far as the service has said it.
    var standing: Standing {
        if let known = client.known { return Standing(known) }
        // As where location services are off for the whole device.
        return Standing(status: client.absence == nil ? .notDetermined : .denied, accuracy: .fullAccuracy)
    }

    /// The first time it waits for the service.
    var awaitedStanding: Standing {
        _ = client.surroundings
        return standing
    }

    /// Whether the app says in its property list that it uses the location in the background.
    var hasBackgroundMode: Bool { surroundings.backgroundModes().contains("location") }

    // MARK: Managers

    var managers: [CLLocationManager] { listeners.withLock { $0.managers }.compactMap(\.value) }

    func add(_ manager: CLLocationManager) {
        listeners.withLock { listeners in
            guard !listeners.managers.contains(where: { $0.number == manager.number }) else { return }
            listeners.managers.append(WeakManager(number: manager.number, value: manager))
        }
    }

    /// A manager is gone.
    func remove(_ number: Int64) {
        listeners.withLock { $0.managers.removeAll { $0.number == number } }
        client.end(number)
        client.wantHeading(false, for: number)
    }

    /// The first thing that a new delegate hears is what the app may know; then comes what was held.
    func delegateAppeared(_ manager: CLLocationManager) {
        add(manager)
        client.start()
        client.whenKnown { [weak self, weak manager] in
            DispatchQueue.main.async {
                guard let self, let manager else { return }
                manager.announce(self.standing)
                self.client.deliver()
            }
        }
    }

    // MARK: Others

    func add(_ live: LiveUpdates) { listeners.withLock { $0.live[live.number] = live } }

    func removeLive(_ number: Int64) {
        // Let go outside the lock.
        _ = listeners.withLock { $0.live.removeValue(forKey: number) }
        client.end(number)
    }

    func add(_ diagnosis: Diagnosis) { listeners.withLock { $0.diagnoses[diagnosis.number] = diagnosis } }

    func removeDiagnosis(_ number: Int64) { _ = listeners.withLock { $0.diagnoses.removeValue(forKey: number) } }

    /// A background activity session begins or ends: live updates go on in the background, or not any more.
    func session(_ number: Int64, isOpen: Bool) {
        let live = listeners.withLock { listeners in
            if isOpen { listeners.sessions.insert(number) } else { listeners.sessions.remove(number) }
            return listeners.live.values
        }
        for one in live { client.change(one.settings(self), for: one.number) { _ in } }
    }

    var hasSession: Bool { listeners.withLock { !$0.sessions.isEmpty } }

    /// The monitor of this name; its records are read when it is made.
    func monitor(_ name: String) -> MonitorCore {
        if let known = listeners.withLock({ $0.monitors[name]?.value }) { return known }
        let new = MonitorCore(name, home: self)
        let (core, isNew) = listeners.withLock { listeners in
            if let known = listeners.monitors[name]?.value { return (known, false) }
            listeners.monitors[name] = WeakMonitor(value: new)
            return (new, true)
        }
        if isNew { core.begin() }
        return core
    }
}

/// What an app may know of the location.
struct Standing: Hashable, Sendable {
    var status: CLAuthorizationStatus
    var accuracy: CLAccuracyAuthorization

    init(status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization) {
        (self.status, self.accuracy) = (status, accuracy)
    }

    init(_ surroundings: LocationSurroundings) {
        status =
            switch surroundings.authorization {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
        accuracy = surroundings.isReduced ? .reducedAccuracy : .fullAccuracy
    }

    var allows: Bool { status == .authorizedAlways || status == .authorizedWhenInUse }
}
