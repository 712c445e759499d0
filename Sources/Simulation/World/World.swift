package import Model
package import PolicyCore

/// Something in the world changed by itself, or because of what was done to it.
package enum WorldChange: Hashable, Sendable, Codable {
    case reachability(Reachability)
    case transferStalled(TrafficID)
    case transferResumed(TrafficID)
    case transferFinished(TrafficID)
    case tower(TowerID?)
    case entered(PlaceID)
    case left(PlaceID)
    case batteryLevel(percent: Int)
    case charger(isConnected: Bool)
    case workDone(WorkID)
    /// So many of the marks of available memory are above what there is.
    case memoryLevel(Int)
}

/// What surrounds the apps of a device: network and radios, battery, places, memory and processor. It is advanced to a
/// moment and asked questions; advancing in one step or in many gives the same. Between its changes everything goes on
/// at an even rate, so advancing costs nothing until something changes.
package struct World: Hashable, Sendable, Codable {
    package private(set) var now = Instant.zero
    /// When something changes by itself next; later than now.
    package private(set) var nextChange: Instant?

    private var network: Network
    private var battery: Battery
    private var places: Places
    private var memory: Memory
    private var processor: Processor
    private let powers: Powers
    private var ledger = EnergyLedger()
    /// The energy of the screen, busy cores and the idle device. The daemon's account has that of cores for fetches
    /// alone.
    private var drain = Energy.zero

    // What is on, and for whom.
    private var satelliteUsers: [Consumer] = []
    private var isScreenLit = false

    // How the way to the network comes about.
    private var isCellularOn: Bool
    private var isWiFiOn: Bool
    private var isNetworkDown = false
    /// Where set, the network is there or not wherever the device is.
    private var forcedReachability: Reachability?

    private var changes: [WorldChange] = []
    private var settledAt = Instant.zero

    /// The world begins at a moment; a route in the setup begins with it.
    package init(_ setup: WorldSetup = WorldSetup(), at start: Instant = .zero) {
        (now, settledAt) = (start, start)
        network = Network(
            cellular: Network.Interface(setup.cellular, setup.cellularLink, part: .cellular),
            wifi: Network.Interface(setup.wifi, setup.wifiLink, part: .wifi))
        battery = Battery(capacity: setup.batteryCapacity, percent: setup.batteryPercent)
        places = Places(towers: setup.towers, places: setup.places, route: setup.route)
        memory = Memory(budget: setup.memory, marks: setup.memoryMarks)
        processor = Processor(cores: setup.cores, power: setup.powers.core)
        powers = setup.powers
        isCellularOn = setup.hasCellular
        isWiFiOn = setup.hasWiFi
        forcedReachability = setup.reachability
        places.travel(setup.route, at: start)
        chooseNetwork()
        changes = []
        plan()
    }

    // MARK: Time

    /// Never back.
    package mutating func advance(to moment: Instant) {
        while let next = nextChange, next <= moment {
            now = next
            settle()
            pass()
            plan()
        }
        now = max(now, moment)
    }

    /// What changed since the last look, in order.
    package mutating func takeChanges() -> [WorldChange] {
        defer { changes.removeAll(keepingCapacity: true) }
        return changes
    }

    package var hasChanges: Bool { !changes.isEmpty }

    /// Asks something of a world that is kept in a class. Read there directly, the whole of it would be copied.
    mutating func ask<Answer>(_ question: (borrowing World) -> Answer) -> Answer { question(self) }

    /// Everything that goes on at an even rate is counted up to now.
    private mutating func settle() {
        let span = now - settledAt
        settledAt = now
        network.settle(to: now, &ledger)
        drain += processor.settle(to: now)
        guard span > .zero else { return }
        drain += powers.idle * span
        if isScreenLit { drain += powers.screen * span }
        if !satelliteUsers.isEmpty { ledger.add(powers.satellite * span, sharedBy: satelliteUsers, by: .gps) }
    }

    /// The counted energy from the battery and the charger.
    private var drawn: Energy { ledger.total + drain }

    private mutating func pass() {
        places.pass(now, &changes)
        chooseNetwork()
        network.pass(now, &changes)
        processor.pass(now, &changes)
        memory.pass(now, &changes)
        battery.pass(now, spent: drawn, &changes)
    }

    /// Changes something now: what went before is counted, what follows at once is told.
    private mutating func change<Result>(_ body: (inout World) -> Result) -> Result {
        settle()
        let result = body(&self)
        pass()
        plan()
        return result
    }

    /// Looks for the next change.
    private mutating func plan() {
        battery.settle(to: now, spent: drawn)
        nextChange = .earliest(
            network.nextChange, processor.nextChange, places.nextChange(after: now), memory.nextChange(after: now))
        // What falls on this very moment, such as the end of an empty transfer.
        if let next = nextChange, next <= now {
            settle()
            pass()
            return plan()
        }
        nextChange = .earliest(nextChange, nextBatteryChange())
    }

    /// What is drawn whatever moves and works.
    private var evenPower: Power {
        network.power + powers.idle + (satelliteUsers.isEmpty ? .zero : powers.satellite)
            + (isScreenLit ? powers.screen : .zero)
    }

    private func spent(by moment: Instant) -> Energy {
        drawn + evenPower * (moment - settledAt) + network.costOfBytes(until: moment)
            + processor.cost(until: moment)
    }

    private func nextBatteryChange() -> Instant? {
        let even = battery.nextChange(drawing: evenPower)
        guard network.bytesCost || processor.isBusy else { return even }
        // What moves and works draws more. Whether that is enough before anything else changes is seen at the end.
        var end = nextChange ?? (now + .seconds(1))
        if nextChange == nil {
            // Work without an end: look ever further.
            while !battery.isOtherPercent(at: end, spent: spent(by: end)) {
                guard end - now < .seconds(86_400 * 30) else { return even }
                end = end + (end - now)
            }
        }
        guard battery.isOtherPercent(at: end, spent: spent(by: end)) else { return nil }
        var low = now
        while end - low > Span(nanoseconds: 1) {
            let middle = Instant(nanoseconds: low.nanoseconds + (end - low).nanoseconds / 2)
            if battery.isOtherPercent(at: middle, spent: spent(by: middle)) { end = middle } else { low = middle }
        }
        return end
    }

    private mutating func chooseNetwork() {
        let isCovered = isCellularOn && places.tower != nil
        let found: Reachability = isWiFiOn && places.hasWiFi ? .wifi : isCovered ? .cellular : .none
        network.reach(isNetworkDown ? .none : forcedReachability ?? found, at: now, &changes)
    }

    /// As it is now, with everything counted.
    private var counted: World {
        var copy = self
        copy.settle()
        return copy
    }
}

// MARK: Questions

extension World {
    package var reachability: Reachability { network.reachability }
    package var cellularRadio: Radio.State { network.cellular.radio.state }
    package var wifiRadio: Radio.State { network.wifi.radio.state }
    /// How often the cellular radio has left idle.
    package var cellularWakeups: Int { network.cellular.radio.wakeups }
    package var transfers: [Transfer] { counted.network.transfers }
    package func transfer(_ id: TrafficID) -> Transfer? { counted.network.transfer(id) }
    package var movedBytes: Int64 { counted.network.movedBytes }

    /// The energy of the radios and positioning by app, as a real device accounts for it.
    package var energy: EnergyLedger { counted.ledger }
    /// What the cellular radio spent, in all and on an app.
    package var cellularEnergy: Energy { energy.total(of: .cellular) }
    package func cellularEnergy(of app: AppIndex) -> Energy { energy.total(of: app, by: .cellular) }
    package var batteryPercent: Int { battery.percent }
    package var batteryLevel: Energy { battery.level(at: now, spent: spent(by: now)) }
    package var isCharging: Bool { battery.charger > .zero }

    package var position: Point { places.position(at: now) }
    package var satelliteFix: Fix { places.satelliteFix(at: now) }
    package var cellFix: Fix? { isCellularOn ? places.cellFix : nil }
    package var tower: TowerID? { isCellularOn ? places.tower?.id : nil }
    package var placesInside: [PlaceID] { places.inside }

    package func footprint(of app: AppIndex) -> Footprint? { memory.footprint(of: app, at: now) }
    package var footprints: [(app: AppIndex, footprint: Footprint)] { memory.footprints(at: now) }
    package var memoryBudget: Int64 { memory.budget }
    package var usedMemory: Int64 { memory.used(at: now) }
    package var availableMemory: Int64 { memory.available(at: now) }
    package var memoryLevel: Int { memory.level }

    package func work(_ id: WorkID) -> Work? { counted.processor.work(id) }
    package func processorTime(of app: AppIndex?) -> Span { counted.processor.time(of: app) }
    package var processorTime: Span { counted.processor.time }
}

// MARK: What is done to it, now

extension World {
    package mutating func transfer(_ bytes: Int64, _ direction: Direction, for consumer: Consumer) -> TrafficID {
        change { $0.network.begin(bytes, direction, for: consumer, at: $0.now) }
    }
    // What is over already, is left alone.
    package mutating func pause(_ transfer: TrafficID) {
        if network.transfer(transfer) != nil { change { $0.network.pause(transfer, at: $0.now) } }
    }
    package mutating func resume(_ transfer: TrafficID) {
        if network.transfer(transfer) != nil { change { $0.network.resume(transfer, at: $0.now) } }
    }
    package mutating func cancel(_ transfer: TrafficID) {
        if network.transfer(transfer) != nil { change { $0.network.cancel(transfer, at: $0.now) } }
    }

    /// Dead or back, whatever the surroundings say.
    package mutating func setNetworkDown(_ isDown: Bool) { change { $0.isNetworkDown = isDown } }
    /// `nil`: as the surroundings say.
    package mutating func force(_ reachability: Reachability?) { change { $0.forcedReachability = reachability } }
    package mutating func setWiFi(isOn: Bool) { change { $0.isWiFiOn = isOn } }
    package mutating func setCellular(isOn: Bool) {
        change {
            $0.isCellularOn = isOn
            $0.chooseNetwork()
            if !isOn { $0.network.turnOffCellular() }
        }
    }
    package mutating func setLink(_ link: Link, of reachability: Reachability) {
        change { $0.network.setLink(link, of: reachability, at: $0.now) }
    }

    /// Nothing, or zero: it is unplugged.
    package mutating func connect(charger: Power) {
        guard charger != battery.charger else { return }
        change {
            $0.battery.settle(to: $0.now, spent: $0.drawn)
            if $0.isCharging != (charger > .zero) { $0.changes.append(.charger(isConnected: charger > .zero)) }
            $0.battery.connect(charger)
        }
    }

    package mutating func setBattery(percent: Int) {
        change {
            $0.battery.settle(to: $0.now, spent: $0.drawn)
            $0.battery.fill(to: percent)
        }
    }

    package mutating func travel(_ route: Route) { change { $0.places.travel(route, at: $0.now) } }
    package mutating func watch(_ place: Place) { change { $0.places.watch(place) } }
    package mutating func unwatch(_ place: PlaceID) { change { $0.places.unwatch(place) } }

    package mutating func setSatellite(_ isUsed: Bool, by consumer: Consumer) {
        change {
            $0.satelliteUsers.removeAll { $0 == consumer }
            guard isUsed else { return }
            let place = $0.satelliteUsers.firstIndex { $0 > consumer } ?? $0.satelliteUsers.count
            $0.satelliteUsers.insert(consumer, at: place)
        }
    }

    package mutating func setScreen(isLit: Bool) {
        if isLit != isScreenLit { change { $0.isScreenLit = isLit } }
    }

    package mutating func setFootprint(_ footprint: Footprint, of app: AppIndex) {
        change { $0.memory.set(footprint, of: app, at: $0.now) }
    }
    package mutating func setGrowth(_ bytesPerSecond: Int64, of app: AppIndex) {
        change { $0.memory.setGrowth(bytesPerSecond, of: app, at: $0.now) }
    }

    /// Processor time is wanted: so much, or `nil` for no end; at most so many thousandths of a core.
    package mutating func begin(
        _ work: Span?, for consumer: Consumer, weight: Int64 = 100, limit: Int64 = 1000
    ) -> WorkID {
        change { $0.processor.begin(work, for: consumer, weight: weight, limit: limit, at: $0.now) }
    }
    package mutating func setPaused(_ work: WorkID, _ isPaused: Bool) {
        if processor.work(work) != nil { change { $0.processor.setPaused(work, isPaused, at: $0.now) } }
    }
    package mutating func end(_ work: WorkID) {
        if processor.work(work) != nil { change { $0.processor.end(work, at: $0.now) } }
    }
}
