import AppRuntime
import Testing
import UIKit
import Wire

/// What the daemon says, for files that do not import UIKit.
@MainActor
enum Simulated {
    static func memory(_ level: String) { call(.didReceiveMemoryWarning, ["level": .string(level)]) }
    static func background() { call(.didEnterBackground, [:]) }

    static func call(_ name: CallbackName, _ params: JSONValue, on application: UIApplication = UIApplication()) {
        _ = Lifecycle(application).handle(Callback(seq: 1, name: name, params: params))
    }
}

extension UIKitTests.CacheTests {
    @Test("Content that has been discarded is not found any more, and its delegate is told")
    func discarded() {
        final class Witness: NSObject, NSCacheDelegate {
            var evicted = 0
            func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) { evicted += 1 }
        }
        let cache = NSCache<NSNumber, NSPurgeableData>()
        let witness = Witness()
        cache.delegate = witness
        #expect(cache.evictsObjectsWithDiscardedContent)
        for number in 0..<4 {
            let data = NSPurgeableData(data: Data("page".utf8))
            cache.setObject(data, forKey: number as NSNumber)
            if number > 0 { data.endContentAccess() }
        }
        for number in 0..<3 { cache.object(forKey: number as NSNumber)?.discardContentIfPossible() }
        let found = (0..<4).map { cache.object(forKey: $0 as NSNumber) != nil }
        #expect(found == [true, false, false, true])
        #expect(witness.evicted == 2)
        cache.evictsObjectsWithDiscardedContent = false
        cache.object(forKey: 3)?.discardContentIfPossible()
        #expect(cache.object(forKey: 3)?.isContentDiscarded() == true)
    }

    @Test("What is no discardable content is found as ever")
    func others() {
        let cache = NSCache<NSString, NSString>()
        cache.setObject("value", forKey: "key")
        #expect(cache.object(forKey: "key") == "value")
        #expect(cache.object(forKey: "other") == nil)
    }
}
