import Foundation

/// The pages that the user scrolls through: some columns of icons each, fewer beside another app.
final class Reel {
    private let strategy: Strategy
    private let draw: @Sendable (Int) -> Data
    private let queue: IconQueue
    let store: any ColumnStore
    private(set) var columnsPerPage = Icons.columnsPerPage
    /// What is needed now, by column.
    private(set) var workingSet: [Int: Data] = [:]
    /// Pages for which the main thread had to draw, or to wait: the user sees a hang.
    private(set) var hangs = 0
    /// Pages that were shown before they were drawn.
    private(set) var gaps = 0

    /// - Parameters:
    ///   - folder: where a file may be kept.
    ///   - draw: draws a column; a test counts.
    ///   - willWait: called when the main thread is about to wait for the queue.
    init(
        _ strategy: Strategy, folder: URL, draw: @escaping @Sendable (Int) -> Data = Icons.draw,
        willWait: @escaping @Sendable () -> Void = {}
    ) throws {
        self.strategy = strategy
        self.draw = draw
        queue = IconQueue(draw: draw, willWait: willWait)
        store =
            switch strategy {
            case .everything, .onePage, .queue, .awaited, .threePages: NoStore()
            case .cache: CacheStore()
            case .purgeable: PurgeableStore()
            case .twoLevels: TwoLevelStore()
            case .mapped: try MappedStore(file: folder.appending(path: "icons.reel"), draw: draw)
            }
        if strategy == .everything { settle(on: 0) }
    }

    var pages: Int { Icons.columns / columnsPerPage }

    private func columns(of page: Int) -> Range<Int> { page * columnsPerPage..<(page + 1) * columnsPerPage }

    /// The finger begins to move: what will be on screen is begun.
    func flick(to page: Int) {
        guard strategy.drawing != .onMainThread else { return }
        for column in columns(of: page) where !isThere(column) { queue.begin(column) }
    }

    /// The icons of a page, column by column, to be put on screen.
    func page(_ number: Int) -> [Data] {
        let missing = columns(of: number).filter { !isThere($0) }
        guard !missing.isEmpty else { return shown(number) }
        switch strategy.drawing {
        case .onMainThread:
            hangs += 1
            for column in missing { workingSet[column] = draw(column) }
        case .besideShowingNothing:
            gaps += 1
            for column in missing { queue.begin(column) }
        case .besideAwaited:
            hangs += 1
            for column in missing { queue.begin(column) }
            finishDrawing()
        }
        return shown(number)
    }

    private func shown(_ number: Int) -> [Data] { columns(of: number).map { workingSet[$0] ?? Icons.placeholder } }

    /// In the working set, perhaps since now.
    private func isThere(_ column: Int) -> Bool {
        if workingSet[column] != nil { return true }
        workingSet[column] = queue.take(column) ?? store.take(column)
        return workingSet[column] != nil
    }

    /// The user rests on a page: what is far away goes, what may come next is made ready.
    func settle(on number: Int) {
        let first = max(0, number - strategy.radius), last = min(pages - 1, number + strategy.radius)
        let near = columns(of: first).lowerBound..<columns(of: last).upperBound
        queue.keep(only: near)
        collect()
        for far in workingSet.keys.sorted() where !near.contains(far) {
            guard let icons = workingSet.removeValue(forKey: far) else { continue }
            store.put(icons, far)
        }
        store.settle(around: near)
        for next in near where !isThere(next) {
            if strategy.drawing == .onMainThread { workingSet[next] = draw(next) } else { queue.begin(next) }
        }
    }

    /// Waits for all that is being drawn: the user rests for long enough.
    func finishDrawing() {
        queue.finish()
        collect()
    }

    private func collect() { workingSet.merge(queue.takeAll()) { mine, _ in mine } }

    /// Pages have so many columns from now on. Answers which page shows what this one did.
    func layOut(columns: Int, showing page: Int) -> Int {
        let first = page * columnsPerPage
        columnsPerPage = columns
        return min(first / columns, pages - 1)
    }

    /// A memory warning: what is not needed now goes.
    func relieve() { store.relieve() }
}
