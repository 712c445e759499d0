package import Model

// How the Core's state lies in memory. Two things are to stay cheap: handing the `System` on (a method that only reads
// gets a copy of its bits), and an app that uses little. What is large and lasting is therefore one reference wide, and
// what most apps do not have takes one word of an app without it.

/// A large value that is replaced as a whole, if ever: one reference wide.
@propertyWrapper
package struct Constant<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    package var wrappedValue: Value {
        @inline(__always) get { storage.value }
        set { storage = Storage(newValue) }
    }

    package static func == (a: Constant, b: Constant) -> Bool {
        a.storage === b.storage || a.storage.value == b.storage.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }

    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try storage.value.encode(to: encoder) }
}

/// A value that most do not have: one word wide, and apart from that only where there is one.
@propertyWrapper
package struct Rare<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    /// One at most.
    private var values: [Value] = []

    package init(wrappedValue: Value?) {
        if let wrappedValue { values = [wrappedValue] }
    }

    package var wrappedValue: Value? {
        @inline(__always) get { values.isEmpty ? nil : values[0] }
        set {
            guard let newValue else {
                if !values.isEmpty { values = [] }
                return
            }
            if values.isEmpty { values = [newValue] } else { values[0] = newValue }
        }
    }

    /// Changes it where it lies, if there is one.
    mutating func change(_ body: (inout Value) -> Void) {
        if !values.isEmpty { body(&values[0]) }
    }

    /// Whether there is one, without a look at it: `wrappedValue != nil` compares values.
    @inline(__always)
    package var projectedValue: Bool { !values.isEmpty }

    // As an optional, for whoever codes it by itself.
    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value?(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// What has a value that says nothing.
package protocol Blank: Hashable, Codable, Sendable {
    static var blank: Self { get }
}

/// State that says nothing of most apps: one word wide, and apart from that only where it says something.
@propertyWrapper
package struct Sparse<Value: Blank>: Hashable, Codable, Sendable {
    /// One at most, and never a blank one.
    private var values: [Value] = []

    package init(wrappedValue: Value) { set(wrappedValue) }

    package var wrappedValue: Value {
        @inline(__always) get { values.isEmpty ? .blank : values[0] }
        set { set(newValue) }
    }

    private mutating func set(_ value: Value) {
        if value == .blank {
            if !values.isEmpty { values = [] }
        } else if values.isEmpty {
            values = [value]
        } else {
            values[0] = value
        }
    }

    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension LaunchOptions: Blank {
    package static var blank: LaunchOptions { .none }
}

extension WakeState: Blank {
    package static var blank: WakeState { WakeState() }
}

// MARK: As it is

extension App {
    /// What an app in the table takes in bytes, whether it uses anything or not, by what for.
    package static var layout: [(name: String, bytes: Int)] {
        [
            ("all", MemoryLayout<App>.stride),
            ("assertions", MemoryLayout<AssertionTable>.size), ("background tasks", MemoryLayout<BackgroundTasks>.size),
            ("memory", MemoryLayout<AppMemory>.size), ("windows", MemoryLayout<Windows>.size),
            ("being woken", MemoryLayout<Sparse<WakeState>>.size),
            ("an end", MemoryLayout<Rare<Ending>>.size), ("deadlines", Deadlines.bytesOfApp),
        ] + mechanismLayout
    }
}

// MARK: In checkpoints

// Checkpoints say what they always said: nothing of an optional that is not there. One from before there was a state
// says nothing of it, which is blank.

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ value: Rare<Value>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_: Rare<Value>.Type, forKey key: Key) throws -> Rare<Value> {
        Rare(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    func decode<Value>(_: Sparse<Value>.Type, forKey key: Key) throws -> Sparse<Value> {
        Sparse(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? .blank)
    }
}
