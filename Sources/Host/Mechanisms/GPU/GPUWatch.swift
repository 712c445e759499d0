package import LinuxSystem
internal import Model
internal import PolicyCore

/// What an app in the background had of the GPU when it was first looked at there. Forgotten on its way to the screen.
package struct GPUBaseline {
    private var clients: GPUClients?
    /// Counts visits to the background: what a look finds that began in an earlier one is worth nothing.
    package private(set) var visit = 0

    package init() {}

    package mutating func leaveBackground() {
        clients = nil
        visit += 1
    }

    /// The first look of a visit says what is there; a later one what is new.
    package mutating func compare(_ found: GPUClients, visit: Int) -> GPUClients.Change? {
        guard visit == self.visit else { return nil }
        guard let before = clients else {
            clients = found
            return nil
        }
        return found.change(since: before)
    }
}

/// Whether there is a GPU, which is asked for every app in the background and found out once a second.
package struct GPUDevices {
    private var lookedAt: Int64?
    private var found = false

    package init() {}

    package mutating func areThere() -> Bool {
        let now = Clock.monotonic()
        guard lookedAt.map({ now - $0 >= 1_000_000_000 }) ?? true else { return found }
        lookedAt = now
        found = GPUClients.areThere()
        return found
    }
}

extension Host {
    /// An app is looked at anyway: where there is a GPU, it is seen whether one in the background uses it (R10).
    func lookAtGPU(_ index: AppIndex, _ process: AppProcess) {
        guard let app = system.app(index), app.state == .background, !app.isPlain, gpuDevices.areThere() else { return }
        let (census, generation, visit) = (process.box.census, process.generation, process.gpu.visit)
        workers.run(.slow) {
            GPUClients(of: census(), in: ProcFS())
        } then: { [unowned self] found in
            guard let process = self.process(index, generation) else { return }
            switch process.gpu.compare(found, visit: visit) {
            case .newClient(let driver): post(.gpu(.used(GPUUse(.context, driver: driver))), of: index, generation)
            case .work(let driver): post(.gpu(.used(GPUUse(.commands, driver: driver))), of: index, generation)
            case nil: return
            }
        }
    }
}
