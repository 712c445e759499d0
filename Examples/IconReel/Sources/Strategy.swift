/// The ways to keep icons that the talk goes through, in its order.
enum Strategy: String, CaseIterable {
    /// Every icon is drawn at launch and kept.
    case everything
    /// Only the page that is on screen is kept.
    case onePage = "one-page"
    /// … and drawn beside the main thread: until then there is nothing to see.
    case queue
    /// … and the main thread waits for it before the page scrolls in.
    case awaited
    /// Its neighbours are drawn ahead.
    case threePages = "three-pages"
    /// … and what leaves goes into an NSCache.
    case cache
    /// … and what leaves becomes purgeable.
    case purgeable
    /// … but for what is next, which only a memory warning takes.
    case twoLevels = "two-levels"
    /// All is drawn once into a file, which is mapped.
    case mapped

    /// Pages to either side that are in memory besides the one on screen.
    var radius: Int {
        switch self {
        case .everything: Icons.columns
        case .onePage, .queue, .awaited, .mapped: 0
        case .threePages, .cache, .purgeable, .twoLevels: 1
        }
    }

    /// Where icons are drawn, and what the main thread does meanwhile.
    enum Drawing {
        case onMainThread
        case besideShowingNothing
        case besideAwaited
    }

    var drawing: Drawing {
        switch self {
        case .everything, .onePage, .mapped: .onMainThread
        case .queue: .besideShowingNothing
        case .awaited, .threePages, .cache, .purgeable, .twoLevels: .besideAwaited
        }
    }
}
