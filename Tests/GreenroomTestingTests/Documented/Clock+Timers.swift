extension Clock<Duration> {
    /// In place of `DispatchQueue.main.asyncAfter`. Cancelling the task takes it back.
    @MainActor @discardableResult
    func after(_ delay: Duration, _ action: @escaping @MainActor () -> Void) -> Task<Void, any Error> {
        Task {
            try await sleep(for: delay)
            action()
        }
    }

    /// In place of a `Timer` that repeats. Cancelling the task invalidates it.
    @MainActor
    func timer(every interval: Duration, _ action: @escaping @MainActor () -> Void) -> Task<Void, any Error> {
        Task {
            var next = now
            while true {
                // What was missed while the app was suspended is made up for once, as a Timer does it.
                repeat { next = next.advanced(by: interval) } while next <= now
                try await sleep(until: next, tolerance: nil)
                action()
            }
        }
    }
}
