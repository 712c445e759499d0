internal import Foundation
internal import Synchronization

/// One observation of a path of keys, from the object that it begins at to the last key.
///
/// Where a value in between becomes another object, what follows is observed there.
final class PathObservation: Sendable {
    struct Change {
        var old: Any?
        var new: Any?
        var isPrior = false
    }

    /// Objects and values, whose threads are the app's affair, as with Apple's observing: they are only handed on.
    private struct State: @unchecked Sendable {
        weak var root: NSObject?
        /// The objects whose keys are observed.
        var chain: [WeakObject] = []
        var last: Any?
        var hasEnded = false
    }

    private struct WeakObject {
        weak var object: NSObject?
    }

    /// Called on the thread that a change is made on.
    private struct Body: @unchecked Sendable {
        var read: (NSObject) -> Any?
        var tell: (NSObject, Change) -> Void
    }

    let keys: [String]
    let path: String
    let options: NSKeyValueObservingOptions
    private let body: Body
    private let state: Mutex<State>

    init(
        _ root: NSObject, path: String, options: NSKeyValueObservingOptions, read: @escaping (NSObject) -> Any?,
        tell: @escaping (NSObject, Change) -> Void
    ) {
        self.path = path
        keys = path.split(separator: ".").map(ObservedKeys.canonical)
        self.options = options
        body = Body(read: read, tell: tell)
        state = Mutex(State(root: root))
    }

    func begin() {
        guard let root else { return }
        let value = body.read(root)
        state.withLock { $0.last = value }
        if options.contains(.initial) { body.tell(root, Change(old: nil, new: value)) }
        link(root)
        // It may have changed meanwhile, on another thread.
        update()
    }

    func end() {
        let chain = state.withLock { state in
            defer { (state.chain, state.hasEnded) = ([], true) }
            return state.chain
        }
        for (link, key) in zip(chain, keys) {
            if let object = link.object { ObservedObjects.remove(self, from: object, key) }
        }
    }

    private var root: NSObject? { state.withLock { $0.hasEnded ? nil : $0.root } }

    func begins(at object: NSObject) -> Bool { root === object }

    // MARK: Changes

    func willChange() {
        guard let root else { return }
        let value = body.read(root)
        state.withLock { $0.last = value }
        if options.contains(.prior) { body.tell(root, Change(old: value, new: nil, isPrior: true)) }
    }

    func didChange() { told(evenIfSame: true) }

    /// The object may have changed.
    func update() { told(evenIfSame: false) }

    private func told(evenIfSame: Bool) {
        guard let root else { return }
        if keys.count > 1 { link(root) }
        let value = body.read(root)
        let old = state.withLock { state in
            defer { state.last = value }
            return state.last
        }
        if evenIfSame || !ObservedKeys.isSame(old, value) { body.tell(root, Change(old: old, new: value)) }
    }

    /// Observes the keys of the objects that there are now.
    private func link(_ root: NSObject) {
        var objects = [root]
        for key in keys.dropLast() {
            guard let next = objects.last.flatMap({ ObservedKeys.value(of: $0, key) }) as? NSObject else { break }
            objects.append(next)
        }
        let before = state.withLock { state -> [WeakObject]? in
            guard !state.hasEnded else { return nil }
            defer { state.chain = objects.map { WeakObject(object: $0) } }
            return state.chain
        }
        // Who was told of the first value may have ended it.
        guard let before else { return }
        for (index, key) in keys.enumerated() {
            let old = index < before.count ? before[index].object : nil
            let new = index < objects.count ? objects[index] : nil
            guard old !== new else { continue }
            if let old { ObservedObjects.remove(self, from: old, key) }
            if let new { ObservedObjects.add(self, to: new, key) }
        }
    }
}

/// What keys are called, and what their values are.
enum ObservedKeys {
    /// Apple's `isMuted` is `muted` as a key, and code says either.
    static func canonical(_ key: some StringProtocol) -> String {
        guard key.hasPrefix("is"), let third = key.dropFirst(2).first, third.isUppercase else { return String(key) }
        return third.lowercased() + key.dropFirst(3)
    }

    static func value(of object: NSObject, path: String) -> Any? {
        var value: Any? = object
        for key in path.split(separator: ".") {
            guard let object = value as? NSObject else { return nil }
            value = Self.value(of: object, canonical(key))
        }
        return value
    }

    static func value(of object: NSObject, _ key: String) -> Any? {
        if let source = object as? any KeyValueSource, type(of: source).observedKeys.contains(key) {
            return source.observedValue(forKey: key)
        }
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for case (let label?, let value) in current.children where canonical(label) == key { return flat(value) }
            mirror = current.superclassMirror
        }
        return nil
    }

    /// Without the optional that it may lie in.
    static func flat(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { flat($0.value) }
    }

    /// As a dictionary of Objective-C has it: an enumeration's case is its number there.
    static func object(_ value: Any?) -> Any {
        guard let value = value.flatMap(flat) else { return NSNull() }
        guard let value = value as? any RawRepresentable else { return value }
        return value.rawValue
    }

    static func isSame(_ a: Any?, _ b: Any?) -> Bool {
        let (a, b) = (a.flatMap(flat), b.flatMap(flat))
        guard let a, let b else { return a == nil && b == nil }
        if let a = a as? any Equatable { return isEqual(a, b) }
        if type(of: a) is AnyClass, type(of: b) is AnyClass { return a as AnyObject === b as AnyObject }
        if let a = a as? any Error, let b = b as? any Error { return (a as NSError) == (b as NSError) }
        return false
    }

    private static func isEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool { (b as? Value) == a }
}
