internal import Model
internal import PolicyCore

// What apps use of the device: screen, network, processor, satellites. Policy does not look at it yet; runs account for
// it.
extension Device {
    /// The world's clock begins at boot.
    func changeWorld(_ body: (inout World) -> Void) {
        catchUp()
        body(&surroundings)
        noteMemory()
        noteConditions()
    }

    /// Something that is none of the device's apps has news for the person, over the network.
    package func notify(bytes: Int64) {
        changeWorld { _ = $0.transfer(bytes, .down, for: Consumer(app: nil, .notification)) }
    }

    func catchUp() { surroundings.advance(to: Instant(nanoseconds: elapsed.nanoseconds)) }

    /// What an app is called there: its place, which stays when the system starts anew.
    func consumer(_ place: Int) -> Consumer { Consumer(app: AppIndex(UInt32(place))) }

    func noteScreen() {
        let isLit = daemon != .off && system.ask { !$0.isAsleep && !$0.isLocked }
        guard isLit != isScreenLit else { return }
        isScreenLit = isLit
        changeWorld { $0.setScreen(isLit: isLit) }
    }

    func noteBirth(_ place: Int) {
        let given = apps[place].script.footprint
        let footprint = Footprint(dirty: given.dirtyBytes, purgeable: given.purgeableBytes, clean: given.cleanBytes)
        changeWorld { $0.setFootprint(footprint, of: AppIndex(UInt32(place))) }
    }

    func noteEnd(_ place: Int) {
        guard let process = apps[place].process else { return }
        clientEnded(place)
        changeWorld { world in
            world.setFootprint(.zero, of: AppIndex(UInt32(place)))
            for transfer in process.transfers { world.cancel(transfer) }
            for work in process.works { world.end(work) }
        }
        apps[place].process?.transfers = []
        apps[place].process?.works = []
    }

    /// What is frozen neither computes nor reads its sockets.
    func noteFreezer(_ place: Int, isFrozen: Bool) {
        guard let process = apps[place].process, !process.works.isEmpty || !process.transfers.isEmpty else { return }
        changeWorld { world in
            for work in process.works { world.setPaused(work, isFrozen) }
            for transfer in process.transfers {
                if isFrozen { world.pause(transfer) } else { world.resume(transfer) }
            }
        }
    }

    func compute(_ span: Span, _ place: Int) {
        guard span > .zero else { return }
        let consumer = consumer(place)
        var work: WorkID?
        changeWorld { work = $0.begin(span, for: consumer) }
        guard let work else { return }
        // What is done, the world has forgotten; a few are under way at most.
        if let old = apps[place].process?.works, old.count >= 8 { apps[place].process?.works.removeFirst() }
        apps[place].process?.works.append(work)
    }

    func transfer(_ bytes: Int64, _ place: Int) {
        let consumer = consumer(place)
        var transfer: TrafficID?
        changeWorld { transfer = $0.transfer(bytes, .down, for: consumer) }
        guard let transfer else { return }
        apps[place].process?.transfers.append(transfer)
        watchTraffic(transfer, bytes: bytes, place)
    }
}
