/// Work whose result does for all who asked before it began: however many ask, it is done once at a time, and then
/// rests as long as it took or longer. Otherwise a hundred tools that ask what every app uses would have it measured a
/// hundred times.
package final class SharedWork<Value> {
    private let clock: () -> Int64
    /// Calls once in the next turn of the loop, or after so many nanoseconds.
    private let soon: (@escaping () -> Void) -> Void
    private let later: (Int64, @escaping () -> Void) -> Void
    /// Begins the work, and calls back on the loop.
    private let work: (@escaping (Value) -> Void) -> Void
    /// How many times as long as it worked it rests.
    private let rest: Int64
    private var asking: [(Value) -> Void] = []
    private var state = State.idle

    private enum State {
        case idle
        case working
        /// Those who asked are told, a few at a time: an answer has to be written for each.
        case telling
        case resting
    }

    private static var toldAtOnce: Int { 8 }

    package init(
        clock: @escaping () -> Int64, soon: @escaping (@escaping () -> Void) -> Void,
        later: @escaping (Int64, @escaping () -> Void) -> Void, rest: Int64 = 1,
        work: @escaping (@escaping (Value) -> Void) -> Void
    ) {
        self.clock = clock
        self.soon = soon
        self.later = later
        self.rest = rest
        self.work = work
    }

    /// The answer is of a moment after this call.
    package func ask(_ answer: @escaping (Value) -> Void) {
        asking.append(answer)
        if case .idle = state { begin() }
    }

    private func begin() {
        guard !asking.isEmpty else {
            state = .idle
            return
        }
        state = .working
        let (served, began) = (asking, clock())
        asking = []
        work { [weak self] value in
            guard let self else { return }
            state = .telling
            tell(served[...], value, pause: (clock() - began) * rest)
        }
    }

    private func tell(_ served: ArraySlice<(Value) -> Void>, _ value: Value, pause: Int64) {
        for answer in served.prefix(Self.toldAtOnce) { answer(value) }
        let left = served.dropFirst(Self.toldAtOnce)
        if left.isEmpty {
            state = .resting
            later(pause) { [weak self] in self?.begin() }
        } else {
            soon { [weak self] in self?.tell(left, value, pause: pause) }
        }
    }
}
