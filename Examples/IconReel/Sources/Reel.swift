import Foundation

/// The ways to keep icons that the talk goes through, in its order.
enum Strategy: String, CaseIterable {
    /// Every icon is drawn at launch and kept.
    case everything
    /// Only the page that is on screen is kept.
    case onePage = "one-page"
    /// Its neighbours are drawn ahead.
    case threePages = "three-pages"
    /// … and what leaves goes into an NSCache.
    case cache
    /// … and what leaves becomes purgeable.
    case purgeable
    /// All is drawn once into a file, which is mapped.
    case mapped

    /// Pages to either side that are in memory besides the one on screen.
    fileprivate var radius: Int {
        switch self {
        case .everything: Icons.pages
        case .onePage, .mapped: 0
        case .threePages, .cache, .purgeable: 1
        }
    }
}

/// The pages that the user scrolls through.
final class Reel {
    /// Draws every page that is needed; a test counts.
    private let draw: (Int) -> Data
    private let radius: Int
    private let store: any PageStore
    private(set) var workingSet: [Int: Data] = [:]

    /// - Parameter folder: where a file may be kept.
    init(_ strategy: Strategy, folder: URL, draw: @escaping (Int) -> Data = Icons.draw) throws {
        self.draw = draw
        radius = strategy.radius
        store =
            switch strategy {
            case .everything, .onePage, .threePages: NoStore()
            case .cache: CacheStore()
            case .purgeable: PurgeableStore()
            case .mapped: try MappedStore(file: folder.appending(path: "icons.reel"), draw: draw)
            }
        if strategy == .everything { settle(on: 0) }
    }

    /// The icons of a page, to be put on screen.
    func page(_ number: Int) -> Data {
        if let page = workingSet[number] { return page }
        let page = store.take(number) ?? draw(number)
        workingSet[number] = page
        return page
    }

    /// The user rests on a page: what is far away goes, what may come next is made ready.
    func settle(on number: Int) {
        let near = max(0, number - radius)...min(Icons.pages - 1, number + radius)
        for far in workingSet.keys where !near.contains(far) {
            guard let page = workingSet.removeValue(forKey: far) else { continue }
            store.put(page, far)
        }
        for next in near { _ = page(next) }
    }
}
