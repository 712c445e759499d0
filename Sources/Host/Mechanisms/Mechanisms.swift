internal import LinuxSystem
internal import Model
internal import PolicyCore

/// The mechanisms as the host has them, each listed once: what it does when the Core says so, and the moments at which
/// the host calls it, in this order. Everything else of one is in its folder.
final class HostMechanisms {
    private unowned let host: Host
    private let locks: LockWatch
    private let sockets: SocketWatch
    private let disk: DiskWatch?
    private let descriptors: DescriptorWatch
    private let inversions: InversionWatch

    init(_ host: Host) {
        self.host = host
        locks = LockWatch(host)
        sockets = SocketWatch(host)
        disk = DiskWatch(host)
        descriptors = DescriptorWatch(host)
        inversions = InversionWatch(host)
        if disk == nil { Diagnostics.write("the room on the disk cannot be watched: the home's folder does not open") }
    }

    func perform(_ action: MechanismAction, _ incarnation: Incarnation) {
        switch action {
        case .sockets(let action): sockets.perform(action, incarnation.app, incarnation.generation)
        case .snapshots(.take): host.takeSnapshot(incarnation.app, incarnation.generation)
        }
    }

    // MARK: Moments

    /// It is frozen, and everything that it sent is handled: what is found may be a reason to let it run, or to end it.
    func verify(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void) {
        let started = process.verification
        host.lookAtGPU(index, process) { [unowned self] in
            // It was thawed, or is being ended.
            guard process.verification == started else { return }
            locks.verify(index, process) { [unowned self] in
                guard process.verification == started else { return }
                sockets.verify(index, process, then: then)
            }
        }
    }

    /// A daemon that starts finds it suspended.
    func adopt(_ index: AppIndex, _ process: AppProcess) {
        locks.adopt(index, process)
        sockets.adopt(index, process)
    }

    /// It runs again, or is gone.
    func release(_ index: AppIndex, _ process: AppProcess) {
        process.snapshot.forget()
        locks.forget(index)
        sockets.release(index, process.generation)
        inversions.answered(process)
    }

    /// It is launched into the background.
    func bornInBackground(_ process: AppProcess) { process.gpu.beBornInBackground(at: Clock.monotonic()) }

    /// It is in the background: its delegate has returned from `didEnterBackground`, or a daemon that starts finds it
    /// there.
    func inBackground(_ index: AppIndex, _ process: AppProcess) { host.beginGPUVisit(index, process) }

    /// Its main thread has to answer.
    func asked(_ index: AppIndex, _ process: AppProcess) { inversions.asked(index, process) }

    /// It did.
    func answered(_ process: AppProcess) { inversions.answered(process) }

    /// It is about to hear that it comes to the screen.
    func toScreen(_ process: AppProcess) { process.gpu.leaveBackground() }

    /// It runs, and is looked at now and then.
    func check(_ index: AppIndex, _ process: AppProcess) {
        host.lookAtGPU(index, process)
        descriptors.check(index, process)
    }

    func measureDisk() { disk?.measure() }

    func emptyCaches(of index: AppIndex) { disk?.emptyCaches(of: index) }

    /// Before the loop waits.
    func settle() { disk?.settle() }
}

extension Host {
    /// Tells the Core what a mechanism saw of an app's process.
    func post(_ event: MechanismEvent, of index: AppIndex, _ generation: Generation) {
        post(.mechanism(Incarnation(index, generation), event))
    }
}
