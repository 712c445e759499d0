/// Work that may wait, one after the other, with a rest after each that is one and a half times as long as it worked:
/// however many tools ask for long answers, they have two fifths of a processor.
package final class PacedWork {
    /// Begins, and says on the loop what it used of a processor; or does not, since nobody wants it any more.
    package typealias Job = (_ done: @escaping (Int64) -> Void) -> Bool

    /// Calls once after so many nanoseconds.
    private let later: (Int64, @escaping () -> Void) -> Void
    private var waiting: [Job] = []
    /// Those before it in `waiting` have begun.
    private var next = 0
    private var isBusy = false

    package init(later: @escaping (Int64, @escaping () -> Void) -> Void) { self.later = later }

    package func add(_ job: @escaping Job) {
        waiting.append(job)
        if !isBusy { begin() }
    }

    private func begin() {
        isBusy = true
        while let job = takeNext() {
            let hasBegun = job { [weak self] cost in
                guard let self else { return }
                later(cost / 2 * 3) { [weak self] in self?.begin() }
            }
            if hasBegun { return }
        }
        isBusy = false
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
