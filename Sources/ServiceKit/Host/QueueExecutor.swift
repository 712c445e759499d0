package import Dispatch

/// Runs an actor on a queue of libdispatch, so that sources and timers of that queue call the actor without a hop.
package final class QueueExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(_ queue: DispatchQueue) { self.queue = queue }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
