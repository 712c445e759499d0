public import Foundation
internal import Synchronization

/// An observation: ends with this object, or when it is told to.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let observation: Mutex<PathObservation?>

    init(_ observation: PathObservation) { self.observation = Mutex(observation) }

    deinit { invalidate() }

    /// Ends it. May be called again.
    public func invalidate() {
        let ended = observation.withLock { observation in
            defer { observation = nil }
            return observation
        }
        ended?.end()
    }
}

/// What Apple's `observe` is an extension of, so that a key path begins at the object's own class.
public protocol _KeyValueCodingAndObserving: NSObject {}

extension NSObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving {
    /// Calls when a value changes, on the thread that changes it; for players, on the main one.
    ///
    /// - Parameters:
    ///   - name: the key path as Objective-C writes it, such as `currentItem.status`. The plugin IOSSources adds it.
    ///   - options: what is told.
    /// - Returns: what it ends with. Keep it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, named name: String, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        warnOfSilence(name)
        let observation = PathObservation(
            self, path: name, options: options, read: { ($0 as? Self)?[keyPath: keyPath] },
            tell: { object, change in
                guard let object = object as? Self else { return }
                changeHandler(
                    object,
                    NSKeyValueObservedChange(
                        kind: .setting, newValue: options.contains(.new) ? change.new as? Value : nil,
                        oldValue: options.contains(.old) ? change.old as? Value : nil, indexes: nil,
                        isPrior: change.isPrior))
            })
        observation.begin()
        return NSKeyValueObservation(observation)
    }

    /// Says that a value will change.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>, named name: String) {
        objc_willChange(self, name)
    }

    /// Says that a value has changed.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>, named name: String) {
        objc_didChange(self, name)
    }

    /// The plugin IOSSources adds the name of a key path that is written out.
    @available(
        *, unavailable,
        message: "write the key path where it is observed, as in observe(\\.status): Linux's key paths have no names"
    )
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        // No code that calls it compiles.
        fatalError("unavailable")
    }
}

extension NSObject {
    /// What is told by names, to remove it by them.
    private struct Named: @unchecked Sendable {  // The observer is only compared.
        weak var observer: AnyObject?
        /// An address.
        var context: UInt
        var observation: PathObservation
    }

    private static let named = Mutex<[Named]>([])

    /// Tells an observer when a value changes, on the thread that changes it; for players, on the main one.
    ///
    /// - Parameters:
    ///   - observer: held weakly.
    ///   - keyPath: names of properties, with points between them.
    public func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        guard let listener = observer as? any NSKeyValueObserver else {
            return complain(
                "\(type(of: observer)) has no observeValue(forKeyPath:of:change:context:), and is told nothing")
        }
        warnOfSilence(keyPath)
        let observation = PathObservation(
            self, path: keyPath, options: options, read: { ObservedKeys.value(of: $0, path: keyPath) },
            tell: { [weak listener] object, change in
                var words: [NSKeyValueChangeKey: Any] = [.kindKey: NSKeyValueChange.setting.rawValue]
                if options.contains(.new), !change.isPrior { words[.newKey] = ObservedKeys.object(change.new) }
                if options.contains(.old) { words[.oldKey] = ObservedKeys.object(change.old) }
                if change.isPrior { words[.notificationIsPriorKey] = true }
                unsafe listener?.observeValue(forKeyPath: keyPath, of: object, change: words, context: context)
            })
        let address = UInt(bitPattern: context)
        let gone = Self.named.withLock { named in
            let gone = named.filter { $0.observer == nil }
            named.removeAll { $0.observer == nil }
            named.append(Named(observer: observer, context: address, observation: observation))
            return gone
        }
        for one in gone { one.observation.end() }
        observation.begin()
    }

    /// Tells an observer nothing more of a value.
    public func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Tells an observer nothing more of a value, where it was added with this context.
    public func removeObserver(
        _ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        let address = UInt(bitPattern: context)
        remove(observer, keyPath) { $0.context == address }
    }

    private func remove(_ observer: NSObject, _ path: String, where matches: (Named) -> Bool) {
        let found = Self.named.withLock { named -> PathObservation? in
            let place = named.lastIndex {
                $0.observer === observer && $0.observation.path == path && $0.observation.begins(at: self)
                    && matches($0)
            }
            return place.map { named.remove(at: $0).observation }
        }
        found?.end()
    }

    /// Says that a value will change. For properties that are no stored ones; of others the plugin IOSSources says it.
    public func willChangeValue(forKey key: String) { objc_willChange(self, key) }

    /// Says that a value has changed.
    public func didChangeValue(forKey key: String) { objc_didChange(self, key) }

    /// What the class above does with a change that it did not ask for: as on Apple's systems, the program ends.
    public func unobservedValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        // As Objective-C's does.
        preconditionFailure("\(type(of: self)) is told of “\(keyPath ?? "")”, and does nothing with it")
    }

    /// Nothing would ever be told.
    fileprivate func warnOfSilence(_ path: String) {
        let first = ObservedKeys.canonical(path.prefix { $0 != "." })
        if let source = self as? any KeyValueSource {
            // A subclass of the app's may have properties of its own.
            if type(of: source).observedKeys.contains(first) || ObservedKeys.value(of: self, first) != nil { return }
        } else if !String(reflecting: type(of: self)).hasPrefix("Foundation") {
            return
        }
        complain("\(type(of: self)) does not say when “\(first)” changes, so nothing is told of it")
    }

    private func complain(_ sentence: String) {
        FileHandle.standardError.write(Data("greenroom: \(sentence)\n".utf8))
    }
}
