package import LinuxSystem
internal import Model
internal import PolicyCore

/// What an app had of the GPU when it came to the background: what is new since then began there.
package struct GPUBaseline {
    private enum Stay {
        case onScreen
        /// `had` is `nil` until the first look is back.
        case background(had: GPUClients?, since: Int64, isSettled: Bool)
    }

    private var stay = Stay.onScreen
    /// Counts visits to the background: what a look finds that began in an earlier one is worth nothing.
    package private(set) var visit = 0

    package init() {}

    /// A process that is launched into the background has nothing yet, and may create nothing.
    package mutating func beBornInBackground(at now: Int64) {
        stay = .background(had: GPUClients(), since: now, isSettled: true)
        visit += 1
    }

    /// Returns whether a visit begins here: the first look is due at once.
    package mutating func enterBackground(at now: Int64) -> Bool {
        guard case .onScreen = stay else { return false }
        stay = .background(had: nil, since: now, isSettled: false)
        visit += 1
        return true
    }

    package mutating func leaveBackground() {
        stay = .onScreen
        visit += 1
    }

    /// The first look of a visit says what is there, a later one what is new. The GPU may still be busy with what it
    /// was given before: work counts from the first look that began after `GPU.settling`; contexts count at once.
    package mutating func compare(_ found: GPUClients, visit: Int, lookedAt moment: Int64) -> GPUClients.Change? {
        guard visit == self.visit, case .background(let had, let since, let isSettled) = stay else { return nil }
        guard let had else {
            stay = .background(had: found, since: since, isSettled: false)
            return nil
        }
        let change = found.change(since: had)
        if isSettled { return change }
        if case .newClient = change { return change }
        let settles = moment - since >= GPU.settling.nanoseconds
        stay = .background(had: found, since: since, isSettled: settles)
        return nil
    }
}

/// The GPUs of the machine. Whether there is one is asked for every app in the background, and found out once a second.
package struct GPUDevices {
    /// Tests have a machine of files, in a folder: its `dev`, and its `proc`.
    private let root: String
    private var lookedAt: Int64?
    private var found = false

    package init(root: String = CurrentProcess.environment("GREENROOM_GPU") ?? "") { self.root = root }

    package var procFS: ProcFS { ProcFS(root: root + "/proc") }

    package mutating func areThere() -> Bool {
        let now = Clock.monotonic()
        guard lookedAt.map({ now - $0 >= 1_000_000_000 }) ?? true else { return found }
        lookedAt = now
        found = GPUClients.areThere(devices: root + "/dev")
        return found
    }
}

// Where there is a GPU, it is seen whether an app in the background uses it (R10): when it comes there, whenever it is
// looked at anyway, and before it is suspended, so that no wake is too short to be noticed.
extension Host {
    /// It is in the background, and its delegate knows: what it has of the GPU now is no offence.
    func beginGPUVisit(_ index: AppIndex, _ process: AppProcess) {
        guard let app = system.app(index), !app.isPlain, gpuDevices.areThere(),
            process.gpu.enterBackground(at: Clock.monotonic())
        else { return }
        look(index, process) {}
        let (generation, visit) = (process.generation, process.gpu.visit)
        // Also of an app that is frozen by then: what it gave the GPU before may have gone on.
        loop.after(nanoseconds: GPU.settling.nanoseconds) { [weak self] in
            guard let self, let process = self.process(index, generation), process.gpu.visit == visit else { return }
            look(index, process) {}
        }
    }

    /// `then` is not called when the process is gone.
    func lookAtGPU(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void = {}) {
        guard let app = system.app(index), app.state == .background, !app.isPlain, !system.isVisible(index),
            gpuDevices.areThere()
        else { return then() }
        // One that came there when there was no GPU yet, or another daemon. In a callback it may be on its way.
        if process.awaited.isEmpty { beginGPUVisit(index, process) }
        look(index, process, then: then)
    }

    private func look(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void) {
        let (census, generation, visit) = (process.box.census, process.generation, process.gpu.visit)
        let procFS = gpuDevices.procFS
        // One queue for all looks of a process: they are compared in the order in which they were made.
        workers.run(.locks) {
            (moment: Clock.monotonic(), clients: GPUClients(of: census(), in: procFS))
        } then: { [unowned self] found in
            guard let process = self.process(index, generation) else { return }
            switch process.gpu.compare(found.clients, visit: visit, lookedAt: found.moment) {
            case .newClient(let driver): post(.gpu(.used(GPUUse(.context, driver: driver))), of: index, generation)
            case .work(let driver): post(.gpu(.used(GPUUse(.commands, driver: driver))), of: index, generation)
            case nil: break
            }
            then()
        }
    }
}
