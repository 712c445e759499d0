/// Work on other threads that may wait, one after the other. However many tools ask for long answers, this work has a
/// fifth of a processor. It saves up to 200 ms that it does not use, so a few long answers need no pause.
package final class PacedWork {
    /// Begins, and says on the loop what it used of a processor. False: the job did not begin, because the tool that
    /// asked for it has left.
    package typealias Job = (_ done: @escaping (Int64) -> Void) -> Bool

    private let clock: () -> Int64
    /// Calls once after so many nanoseconds.
    private let later: (Int64, @escaping () -> Void) -> Void
    private let allowance: Allowance
    private var waiting: [Job] = []
    /// Those before it in `waiting` have begun.
    private var next = 0
    private var isBusy = false

    /// Paused work continues once it has this many nanoseconds.
    private static var share: Int64 { 1_000_000 }

    package init(clock: @escaping () -> Int64, later: @escaping (Int64, @escaping () -> Void) -> Void) {
        self.clock = clock
        self.later = later
        allowance = Allowance(burst: 200_000_000, adding: 1, of: 5, at: clock())
    }

    package func add(_ job: @escaping Job) {
        waiting.append(job)
        if !isBusy { begin() }
    }

    private func begin() {
        isBusy = true
        while let job = takeNext() {
            let hasBegun = job { [weak self] cost in self?.rest(after: cost) }
            if hasBegun { return }
        }
        isBusy = false
    }

    private func rest(after cost: Int64) {
        allowance.fill(at: clock())
        allowance.spend(cost)
        let pause = allowance.isSpent ? allowance.pause(until: Self.share) : 0
        later(pause) { [weak self] in self?.begin() }
    }

    private func takeNext() -> Job? {
        guard next < waiting.count else {
            (waiting, next) = ([], 0)
            return nil
        }
        let job = waiting[next]
        next += 1
        if next > waiting.count / 2 {
            waiting.removeFirst(next)
            next = 0
        }
        return job
    }
}
