import Foundation
import Testing
import UIKit

private final class Page: NSObject {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// Content that says itself whether it has been discarded.
private final class Discardable: NSObject, NSDiscardableContent {
    let number: Int
    var isDiscarded = false
    init(_ number: Int) { self.number = number }

    func beginContentAccess() -> Bool { !isDiscarded }
    func endContentAccess() {}
    func discardContentIfPossible() { isDiscarded = true }
    func isContentDiscarded() -> Bool { isDiscarded }
}

private final class Witness: NSObject, NSCacheDelegate {
    var evicted: [Int] = []
    /// What it does when it hears of one.
    var also: () -> Void = {}

    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        evicted.append((object as? Page)?.number ?? (object as? Discardable)?.number ?? -1)
        also()
    }
}

/// Calls what it overrides, with stored state of its own.
private final class OverridingCache: NSCache<NSString, Page> {
    var costs: [Int] = []

    override func setObject(_ object: Page, forKey key: NSString, cost: Int) {
        costs.append(cost)
        super.setObject(object, forKey: key, cost: cost)
    }

    override func removeObject(forKey key: NSString) { super.removeObject(forKey: key) }
    override func removeAllObjects() { super.removeAllObjects() }
}

// A cache may be used on any thread.
private struct Shared: @unchecked Sendable {
    let cache: NSCache<NSString, Page>
}

extension UIKitTests {
    @Suite("NSCache and its limits")
    @MainActor
    struct CacheLimitTests {
        private let witness = Witness()

        private func cache(count: Int = 0, cost: Int = 0) -> NSCache<NSString, Page> {
            let cache = NSCache<NSString, Page>()
            (cache.countLimit, cache.totalCostLimit, cache.delegate) = (count, cost, witness)
            return cache
        }

        private func key(_ number: Int) -> NSString { "\(number)" as NSString }

        private func fill(_ cache: NSCache<NSString, Page>, _ numbers: some Sequence<Int>, cost: Int = 0) {
            for number in numbers { cache.setObject(Page(number), forKey: key(number), cost: cost) }
        }

        /// Does not count as a use of those that it does not ask for.
        private func has(_ cache: NSCache<NSString, Page>, _ number: Int) -> Bool {
            cache.object(forKey: key(number))?.number == number
        }

        @Test("Over the limit of its count, what was not used for longest goes first, and the new one stays")
        func count() {
            let cache = cache(count: 3)
            fill(cache, 0..<3)
            #expect(has(cache, 0))
            fill(cache, 3...4)
            #expect(witness.evicted == [1, 2])
            #expect([0, 3, 4].allSatisfy { has(cache, $0) } && !has(cache, 1) && !has(cache, 2))
        }

        @Test("Setting an object again is a use of it, and replaces it without an eviction")
        func again() {
            let cache = cache(count: 2)
            fill(cache, 0..<2)
            fill(cache, [0])
            fill(cache, [2])
            #expect(witness.evicted == [1])
            cache.setObject(Page(7), forKey: key(0))
            #expect(cache.object(forKey: key(0))?.number == 7 && witness.evicted == [1])
        }

        @Test("Over the limit of its cost it lets go as many as it has to, the cheap and the dear")
        func cost() {
            let cache = cache(cost: 100)
            fill(cache, 0..<2, cost: 40)
            fill(cache, 2..<4, cost: 10)
            #expect(witness.evicted.isEmpty)
            fill(cache, [4], cost: 45)
            #expect(witness.evicted == [0, 1])
            fill(cache, [5], cost: 60)
            #expect(witness.evicted == [0, 1, 2, 3, 4])
            #expect(has(cache, 5))
        }

        @Test("A cost that changes counts, up and down")
        func changed() {
            let cache = cache(cost: 100)
            fill(cache, 0..<4, cost: 25)
            fill(cache, [3], cost: 50)
            #expect(witness.evicted == [0])
            fill(cache, [3], cost: 10)
            fill(cache, [4], cost: 40)
            #expect(witness.evicted == [0])
            cache.removeObject(forKey: key(4))
            fill(cache, [5], cost: 40)
            #expect(witness.evicted == [0])
        }

        @Test("What alone costs more than the limit is not kept, and nothing else goes for it")
        func tooMuch() {
            let cache = cache(cost: 100)
            fill(cache, 0..<2, cost: 10)
            fill(cache, [2], cost: 101)
            #expect(witness.evicted == [2] && has(cache, 0) && has(cache, 1) && !has(cache, 2))
            fill(cache, [1], cost: 500)
            #expect(!has(cache, 1), "the old one under its key is not what was set")
        }

        @Test("A limit that is lowered counts from the next object on; without one everything stays")
        func lowered() {
            let cache = cache()
            fill(cache, 0..<100, cost: 1000)
            #expect(witness.evicted.isEmpty)
            cache.countLimit = 2
            fill(cache, [100])
            #expect(witness.evicted == Array(0..<99))
            #expect(has(cache, 99) && has(cache, 100))
        }

        @Test("Discarded content goes before what was not used for longer")
        func discarded() {
            let cache = NSCache<NSNumber, Discardable>()
            (cache.countLimit, cache.delegate) = (3, witness)
            let contents = (0..<4).map { Discardable($0) }
            for content in contents.prefix(3) { cache.setObject(content, forKey: content.number as NSNumber) }
            contents[1].discardContentIfPossible()
            cache.setObject(contents[3], forKey: 3)
            #expect(witness.evicted == [1] && cache.object(forKey: 0) === contents[0])
            // Where it is not to look, it goes in its turn.
            cache.evictsObjectsWithDiscardedContent = false
            contents[0].discardContentIfPossible()
            cache.setObject(contents[1], forKey: 1)
            #expect(witness.evicted == [1, 2] && cache.object(forKey: 0) === contents[0])
        }

        @Test("A delegate may use the cache while it hears of an eviction")
        func reentrant() {
            let cache = cache(count: 2)
            var found: [Bool] = []
            witness.also = { [self] in
                found.append(has(cache, 2))
                cache.removeObject(forKey: key(1))
            }
            fill(cache, 0..<3)
            #expect(witness.evicted == [0] && found == [true] && !has(cache, 1))
        }

        @Test("A subclass that calls what it overrides gets the same")
        func subclass() {
            let cache = OverridingCache()
            (cache.countLimit, cache.delegate) = (2, witness)
            fill(cache, 0..<2, cost: 5)
            #expect(has(cache, 0))
            cache.setObject(Page(2), forKey: key(2))
            #expect(cache.costs == [5, 5, 0] && witness.evicted == [1])
            cache.removeObject(forKey: key(0))
            #expect(!has(cache, 0) && has(cache, 2))
            cache.removeAllObjects()
            #expect(!has(cache, 2))
        }

        @Test("Keys are the same by isEqual, or as one object")
        func keys() {
            final class Plain {}
            let cache = NSCache<AnyObject, Page>()
            let (first, second) = (Plain(), Plain())
            cache.setObject(Page(1), forKey: first)
            cache.setObject(Page(2), forKey: second)
            cache.setObject(Page(3), forKey: NSMutableString(string: "a"))
            #expect(cache.object(forKey: first)?.number == 1 && cache.object(forKey: second)?.number == 2)
            #expect(cache.object(forKey: "a" as NSString)?.number == 3 && cache.object(forKey: Plain()) == nil)
        }

        @Test("What a cache held goes with it, however many there were")
        func released() {
            weak var first: Page?
            weak var last: Page?
            func use() {
                let cache = cache()
                let pages = (0..<3).map { Page($0) }
                for page in pages { cache.setObject(page, forKey: key(page.number)) }
                (first, last) = (pages[0], pages[2])
            }
            use()
            #expect(first == nil && last == nil)
        }

        @Test("Several threads use one cache, and its limit holds")
        func threads() {
            let cache = cache(count: 50)
            cache.delegate = nil
            let shared = Shared(cache: cache)
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<2000 {
                    let key = "\((thread * 7 + number) % 200)" as NSString
                    switch number % 4 {
                    case 0: shared.cache.removeObject(forKey: key)
                    case 1: _ = shared.cache.object(forKey: key)
                    default: shared.cache.setObject(Page(number), forKey: key)
                    }
                }
            }
            let left = (0..<200).count { cache.object(forKey: key($0)) != nil }
            #expect((1...50).contains(left), "\(left)")
        }
    }
}
