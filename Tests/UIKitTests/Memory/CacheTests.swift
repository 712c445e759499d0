import Foundation
import Testing

// No import of UIKit: so is most code that caches.

private final class Page: NSObject {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// With a method of its own in the way, and stored state.
private final class CountingCache: NSCache<NSString, Page> {
    private(set) var lookups = 0

    override func object(forKey key: NSString) -> Page? {
        lookups += 1
        return super.object(forKey: key)
    }
}

private final class Witness: NSObject, NSCacheDelegate {
    var evicted: [Int] = []
    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        evicted.append((object as? Page)?.number ?? -1)
    }
}

extension UIKitTests {
    @Suite("NSCache")
    @MainActor
    struct CacheTests {
        private func fill(_ cache: NSCache<NSString, Page>, _ count: Int) {
            for number in 0..<count { cache.setObject(Page(number), forKey: "\(number)" as NSString, cost: number) }
        }

        private func count(_ cache: NSCache<NSString, Page>) -> Int {
            (0..<100).count { cache.object(forKey: "\($0)" as NSString) != nil }
        }

        @Test("It is emptied by a memory warning, and can be filled again")
        func warning() {
            let cache = NSCache<NSString, Page>()
            for round in 0..<3 {
                fill(cache, 20)
                #expect(count(cache) == 20)
                Simulated.memory(round == 1 ? "critical" : "warning")
                #expect(count(cache) == 0)
            }
        }

        @Test("It is emptied on entering the background")
        func background() {
            let cache = NSCache<NSString, Page>()
            fill(cache, 20)
            Simulated.background()
            #expect(count(cache) == 0)
        }

        @Test("A subclass is emptied too, and what it overrides is called")
        func subclass() {
            let cache = CountingCache()
            fill(cache, 20)
            Simulated.memory("warning")
            #expect(count(cache) == 0)
            #expect(cache.lookups == 100)
        }

        @Test("Its delegate is told of every object that goes, and its limits are as before")
        func delegate() {
            let cache = NSCache<NSString, Page>()
            let witness = Witness()
            cache.delegate = witness
            cache.countLimit = 50
            cache.totalCostLimit = 5000
            fill(cache, 20)
            Simulated.memory("warning")
            #expect(witness.evicted.sorted() == Array(0..<20))
            #expect(count(cache) == 0)
            #expect((cache.countLimit, cache.totalCostLimit) == (50, 5000))
            fill(cache, 3)
            #expect(count(cache) == 3)
        }

        @Test("What it held is released, and so is a cache that nobody holds")
        func released() {
            weak var page: Page?
            weak var seen: NSCache<NSString, Page>?
            let cache = NSCache<NSString, Page>()
            autoreleased {
                let first = Page(1)
                page = first
                cache.setObject(first, forKey: "page")
                let other = NSCache<NSString, Page>()
                other.setObject(first, forKey: "page")
                seen = other
            }
            #expect(seen == nil)
            #expect(page != nil)
            Simulated.memory("warning")
            #expect(page == nil)
        }

        private func autoreleased(_ body: () -> Void) { body() }

        @Test("Many caches come and go; those that are left are emptied")
        func many() {
            var caches: [NSCache<NSString, Page>] = []
            for number in 0..<1000 {
                let cache = NSCache<NSString, Page>()
                fill(cache, 1)
                if number % 10 == 0 { caches.append(cache) }
            }
            Simulated.memory("warning")
            #expect(caches.allSatisfy { count($0) == 0 })
        }
    }
}
