import Foundation
import IOSFoundation
import Synchronization
import Testing

// Each test uses its own, on one thread at a time.
private final class Listener: NSObject, @unchecked Sendable {
    var heard: [String] = []
    var isOnMain: [Bool] = []

    func plain() { note("plain") }
    func object(_ note: NSNotification) { self.note("object \(note.name.rawValue)") }
    func value(_ note: Notification) { self.note("value \(note.name.rawValue)") }
    func maybe(_ sender: Any?) { note(sender == nil ? "nothing" : "something") }
    func two(_ a: String, with b: Int) -> NSNumber { NSNumber(value: a.count + b) }
    func tick(_ timer: Timer) { note("tick \(timer.targetUserInfo ?? "none")") }
    @MainActor func onMain() { note("main") }

    private func note(_ text: String) {
        heard.append(text)
        isOnMain.append(Thread.isMainThread)
    }
}

private final class Other: NSObject {}

private enum Selectors {
    static let plain = Selector("plain", { (object: Listener) in object.plain() })
    static let object = Selector("object:", { (object: Listener, value) in object.object(value) })
    static let value = Selector("value:", { (object: Listener, value) in object.value(value) })
    static let maybe = Selector("maybe:", { (object: Listener, value) in object.maybe(value) })
    static let two = Selector("two:with:", { (object: Listener, a, b) in object.two(a, with: b) })
    static let tick = Selector("tick:", { (object: Listener, value) in object.tick(value) })
    static let onMain = Selector("onMain", method: { (object: Listener) in object.onMain })
}

@Suite("Selectors")
struct SelectorTests {
    private let listener = Listener()
    private let center = NotificationCenter()
    private let name = Notification.Name("SelectorTests")

    @Test("A selector calls its method, and gives back what it returns")
    func perform() throws {
        unsafe listener.perform(Selectors.plain)
        unsafe listener.perform(Selectors.maybe, with: nil)
        unsafe listener.perform(Selectors.maybe, with: 1)
        #expect(listener.heard == ["plain", "nothing", "something"])
        let sum = unsafe try #require(listener.perform(Selectors.two, with: "abc", with: 4)).takeUnretainedValue()
        #expect(sum as? NSNumber == 7)
    }

    @Test("Objects respond to the selectors of their types")
    func responds() {
        #expect(listener.responds(to: Selectors.plain))
        #expect(!Other().responds(to: Selectors.plain))
        #expect(!listener.responds(to: Selector("plain")))
        #expect(Selector("plain") == Selectors.plain)
        #expect(NSStringFromSelector(Selectors.two) == "two:with:")
    }

    @Test("A message to an object without the method ends the process")
    func unrecognized() async {
        await #expect(processExitsWith: .failure) {
            _ = unsafe Other().perform(Selector("plain", { (object: Listener) in object.plain() }))
        }
    }

    @Test("An observer hears what it asked for, in the form that its method takes")
    func observe() {
        center.addObserver(listener, selector: Selectors.value, name: name, object: nil)
        center.addObserver(listener, selector: Selectors.object, name: name, object: nil)
        center.addObserver(listener, selector: Selectors.plain, name: nil, object: nil)
        center.post(name: name, object: nil)
        #expect(listener.heard.sorted() == ["object SelectorTests", "plain", "value SelectorTests"])
        #expect(listener.isOnMain.allSatisfy { $0 == Thread.isMainThread })
    }

    @Test("An observer is called no longer once it was removed, for one name or for all")
    func remove() {
        let other = Notification.Name("other")
        for name in [name, other] {
            center.addObserver(listener, selector: Selectors.value, name: name, object: nil)
        }
        center.removeObserver(listener, name: name, object: nil)
        center.post(name: name, object: nil)
        center.post(name: other, object: nil)
        #expect(listener.heard == ["value other"])
        center.removeObserver(listener)
        center.post(name: other, object: nil)
        #expect(listener.heard == ["value other"])
    }

    @Test("An observer hears of one object only, if it said so")
    func sender() {
        let sender = Other()
        center.addObserver(listener, selector: Selectors.plain, name: name, object: sender)
        center.post(name: name, object: Other())
        center.post(name: name, object: sender)
        #expect(listener.heard == ["plain"])
        center.removeObserver(listener, name: name, object: Other())
        center.post(name: name, object: sender)
        #expect(listener.heard.count == 2)
    }

    @Test("Blocks are removed as before")
    func blocks() {
        let count = Mutex(0)
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in count.withLock { $0 += 1 } }
        center.post(name: name, object: nil)
        center.removeObserver(token)
        center.post(name: name, object: nil)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A center holds no observer, and an observer that is gone is not called")
    func weak() {
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            center.addObserver(listener, selector: Selectors.plain, name: name, object: nil)
        }
        #expect(gone == nil)
        center.post(name: name, object: nil)
        for _ in 0..<200 { center.addObserver(Listener(), selector: Selectors.plain, name: name, object: nil) }
        center.post(name: name, object: nil)
    }

    @Test("A timer calls its target until it is invalid, and holds it until then")
    func timers() {
        let timer = Timer(
            timeInterval: 0.001, target: listener, selector: Selectors.tick, userInfo: "info", repeats: true)
        let loop = RunLoop.current
        loop.add(timer, forMode: .default)
        while listener.heard.count < 2 { _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 5)) }
        timer.invalidate()
        #expect(listener.heard.prefix(2) == ["tick info", "tick info"])
        #expect(!timer.isValid)
    }

    @Test("A delayed message is sent in its time, unless it is taken back")
    func delayed() {
        listener.perform(Selectors.maybe, with: nil, afterDelay: 0.001)
        listener.perform(Selectors.maybe, with: 1, afterDelay: 0.002)
        NSObject.cancelPreviousPerformRequests(withTarget: listener, selector: Selectors.maybe, object: nil)
        while listener.heard.isEmpty { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5)) }
        listener.perform(Selectors.plain, with: nil, afterDelay: 0)
        NSObject.cancelPreviousPerformRequests(withTarget: listener)
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        #expect(listener.heard == ["something"])
    }

    @Test("A method of the main actor is called as any other")
    @MainActor
    func mainActor() {
        listener.performSelector(onMainThread: Selectors.onMain, with: nil, waitUntilDone: true)
        #expect(listener.heard == ["main"])
    }
}

@Suite("Objective-C's functions")
struct RuntimeTests {
    // Only its address counts.
    private static nonisolated(unsafe) let key = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)

    @Test("An object has what was hung on it, under each key, until it is taken away")
    func association() {
        let object = Other()
        unsafe objc_setAssociatedObject(object, Self.key, "a", .OBJC_ASSOCIATION_RETAIN)
        unsafe objc_setAssociatedObject(object, Self.key + 1, 2, .OBJC_ASSOCIATION_COPY)
        #expect(unsafe objc_getAssociatedObject(object, Self.key) as? String == "a")
        #expect(unsafe objc_getAssociatedObject(object, Self.key + 1) as? Int == 2)
        #expect(unsafe objc_getAssociatedObject(Other(), Self.key) == nil)
        unsafe objc_setAssociatedObject(object, Self.key, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(unsafe objc_getAssociatedObject(object, Self.key) == nil)
        objc_removeAssociatedObjects(object)
        #expect(unsafe objc_getAssociatedObject(object, Self.key + 1) == nil)
    }

    @Test("What hangs on an object does not outlive it for long, and another at its address has none of it")
    func lifetime() {
        weak var value: Other?
        do {
            let (owner, hung) = (Other(), Other())
            value = hung
            unsafe objc_setAssociatedObject(owner, Self.key, hung, .OBJC_ASSOCIATION_RETAIN)
        }
        for _ in 0..<1000 {
            let object = Other()
            #expect(unsafe objc_getAssociatedObject(object, Self.key) == nil)
            unsafe objc_setAssociatedObject(object, Self.key, 1, .OBJC_ASSOCIATION_RETAIN)
        }
        #expect(value == nil)
    }

    @Test("What is only pointed at goes with its last holder")
    func assigned() {
        let owner = Other()
        do {
            let value = Other()
            unsafe objc_setAssociatedObject(owner, Self.key, value, .OBJC_ASSOCIATION_ASSIGN)
            #expect(unsafe objc_getAssociatedObject(owner, Self.key) as? Other === value)
        }
        #expect(unsafe objc_getAssociatedObject(owner, Self.key) == nil)
    }

    @Test("One thread at a time is in an object's section, and may enter it again")
    func synchronized() {
        // Only its section is used.
        nonisolated(unsafe) let object = Other()
        // Only in the section.
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 {
                unsafe objc_sync_enter(object)
                unsafe objc_sync_enter(object)
                unsafe count += 1
                unsafe objc_sync_exit(object)
                unsafe objc_sync_exit(object)
            }
        }
        #expect(unsafe count == 8000)
        #expect(unsafe objc_sync_exit(object) == -1)
        unsafe objc_sync_enter(object)
        let fromOutside = Mutex<Int32?>(nil)
        Thread.detachNewThread { fromOutside.withLock { $0 = unsafe objc_sync_exit(object) } }
        while fromOutside.withLock({ $0 == nil }) { sched_yield() }
        #expect(fromOutside.withLock { $0 } == -1, "another thread left the section of this one")
        #expect(unsafe objc_sync_exit(object) == 0)
    }
}
