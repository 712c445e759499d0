/// What may come for thousands at once and takes a while for each: so many are done in one turn of the loop, at once
/// for the first ones, and the others in the turns after it. Between them everybody else has his turn.
package final class PerTurn<Item: Hashable> {
    private let most: Int
    /// Calls once in the next turn of the loop.
    private let soon: (@escaping () -> Void) -> Void
    private let perform: (Item) -> Void
    private var waiting: [Item] = []
    /// Those before it in `waiting` are done.
    private var next = 0
    private var known: Set<Item> = []
    private var left: Int
    private var isScheduled = false

    package init(
        atMost most: Int, soon: @escaping (@escaping () -> Void) -> Void, perform: @escaping (Item) -> Void
    ) {
        self.most = most
        self.soon = soon
        self.perform = perform
        left = most
    }

    /// What waits already is not done twice.
    package func add(_ item: Item) {
        schedule()
        if left > 0, waiting.isEmpty {
            left -= 1
            perform(item)
        } else if known.insert(item).inserted {
            waiting.append(item)
        }
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        soon { [weak self] in self?.run() }
    }

    private func run() {
        isScheduled = false
        left = most
        while left > 0, next < waiting.count {
            let item = waiting[next]
            next += 1
            left -= 1
            known.remove(item)
            perform(item)
        }
        if next < waiting.count { schedule() } else { (waiting, next) = ([], 0) }
    }
}
