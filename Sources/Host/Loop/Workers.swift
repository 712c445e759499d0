internal import Dispatch
package import LinuxSystem
internal import Synchronization

/// What is slow runs here: on a few queues of fixed width; results come back as calls on the loop.
package final class Workers {
    package enum Lane {
        /// SQLite and files, strictly in order.
        case storage
        /// Starting processes.
        case launches
        /// Reading /proc, and what else takes longer than the loop can wait. Nothing that takes seconds: samples and
        /// debuggers' checks come this way.
        case slow
        /// Lists for tools: a look at the memory of 400 processes takes a fifth of a second, for which no tool waits.
        case lists
        /// Installing and uninstalling, in order.
        case installs
        /// Walking through trees that may be huge, as when the trash is emptied: it can take minutes. A few at a time,
        /// so that a small app does not wait for a large one.
        case trees
        /// What apps have locked, and what they do with the GPU: an app that is being suspended waits for it.
        case locks
        /// What threads may use: in the order in which it was decided.
        case priorities
        /// Bringing memory back: waits for nothing else.
        case releases
    }

    private let storage = DispatchQueue(label: "greenroom.storage")
    private let checkpoints = DispatchQueue(label: "greenroom.checkpoints", qos: .utility)
    private let launches = DispatchQueue(label: "greenroom.launches")
    private let slow = DispatchQueue(label: "greenroom.slow")
    private let lists = DispatchQueue(label: "greenroom.lists")
    private let installs = DispatchQueue(label: "greenroom.installs", qos: .utility)
    private let trees = WorkerPool(label: "greenroom.trees", width: 3, qos: .utility)
    private let locks = DispatchQueue(label: "greenroom.locks")
    private let priorities = DispatchQueue(label: "greenroom.priorities")
    private let releases = DispatchQueue(label: "greenroom.releases", qos: .userInteractive)
    private let finished: Finished
    private var continuations: [UInt64: () -> Void] = [:]
    private var nextID: UInt64 = 1
    private var watch: Loop.Watch?

    /// What the queues and the loop share.
    private final class Finished: Sendable {
        let ids = Mutex<[UInt64]>([])
        let wakeup: EventFD

        init() throws(SystemError) { wakeup = try EventFD() }

        func append(_ id: UInt64) {
            ids.withLock { $0.append(id) }
            wakeup.signal()
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    package init(_ loop: Loop) throws(SystemError) {
        finished = try Finished()
        watch = try loop.watch(finished.wakeup.descriptor.rawValue, .readable) { [unowned self] _ in collect() }
    }

    /// Runs `work` on a queue, then `completion` with its result on the loop.
    func run<Value: Sendable>(
        _ lane: Lane, _ work: @escaping @Sendable () -> Value, then completion: @escaping (Value) -> Void
    ) {
        let id = nextID
        nextID += 1
        let box = Box<Value>()
        continuations[id] = {
            if let value = box.value.withLock({ $0 }) { completion(value) }
        }
        let finished = finished
        run(lane) {
            let value = work()
            box.value.withLock { $0 = value }
            finished.append(id)
        }
    }

    /// Runs `work` on a queue, for the start of the daemon, when the loop does not run yet: what is returned waits for
    /// the result.
    func beginning<Value: Sendable>(_ lane: Lane, _ work: @escaping @Sendable () -> Value) -> () -> Value {
        let box = Box<Value>()
        run(lane) {
            let value = work()
            box.value.withLock { $0 = value }
        }
        return { [self] in
            finish(lane)
            return box.value.withLock { $0 } ?? work()
        }
    }

    /// Writes down the whole Core, behind what storage was given so far. Not in that lane: among thousands of apps it
    /// takes half a second, for which no tool that wants to read has to wait.
    package func checkpoint(_ work: @escaping @Sendable () -> Void) {
        storage.async { [checkpoints] in checkpoints.async(execute: work) }
    }

    package func run(_ lane: Lane, _ work: @escaping @Sendable () -> Void) {
        if let queue = queue(lane) { queue.async(execute: work) } else { trees.run(work) }
    }

    /// Waits until everything given to a lane so far is done; only for the end of the daemon. Removals go on at the
    /// next start.
    package func finish(_ lane: Lane) {
        queue(lane)?.sync {}
        if lane == .storage { checkpoints.sync {} }
    }

    /// Waits for what was given to a lane so far, and for its continuations.
    func collect(_ lane: Lane) {
        finish(lane)
        collect()
    }

    private func queue(_ lane: Lane) -> DispatchQueue? {
        switch lane {
        case .storage: storage
        case .launches: launches
        case .slow: slow
        case .lists: lists
        case .installs: installs
        case .trees: nil
        case .locks: locks
        case .priorities: priorities
        case .releases: releases
        }
    }

    private func collect() {
        finished.wakeup.drain()
        let ids = finished.ids.withLock { ids in
            let all = ids
            ids = []
            return all
        }
        for id in ids { continuations.removeValue(forKey: id)?() }
    }
}
