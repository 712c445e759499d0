package import Model

/// Goes through the fields of a value one after the other: to write them, to read them, or to make a digest of them.
/// One description of a payload serves all three, so that they cannot drift apart.
package protocol FieldCoder {
    associatedtype Failure: Error

    mutating func code(_ value: inout UInt8) throws(Failure)
    mutating func code(_ value: inout UInt64) throws(Failure)
    mutating func code(_ value: inout Int64) throws(Failure)
    mutating func code(_ value: inout Int32) throws(Failure)
    mutating func code(_ value: inout UInt32) throws(Failure)
    mutating func code(_ value: inout Bool) throws(Failure)
    mutating func code(_ value: inout String) throws(Failure)
    mutating func code<Value>(_ value: inout Value) throws(Failure)
    where Value: RawRepresentable, Value.RawValue == UInt8
    /// How many there are; a reader makes so many blank ones, which are gone through next.
    mutating func codeCount<Element>(_ values: inout [Element], blank: Element) throws(Failure)
}

extension FieldCoder {
    mutating func code(_ span: inout Span) throws(Failure) {
        var nanoseconds = span.nanoseconds
        try code(&nanoseconds)
        span = Span(nanoseconds: nanoseconds)
    }
}

/// What a mechanism is told, does, or is asked for, in the stable form of recordings.
package protocol Payload: Hashable, Sendable {
    /// The table of its tags. None is ever given to another case, here or in another mechanism.
    associatedtype Tag: CaseIterable, RawRepresentable, Sendable where Tag.RawValue == UInt8

    var tag: Tag { get }
    /// A value of this case, which a reader fills in.
    init(blank tag: Tag)
    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

// MARK: Those who go through fields

/// Takes the fields of a value one after the other: bytes, or a digest of them.
package protocol FieldSink: FieldCoder where Failure == Never {
    mutating func write(_ value: UInt8)
    mutating func write(_ value: UInt64)
    mutating func write(_ value: Int64)
    mutating func write(_ value: Bool)
    mutating func write(_ value: String)
}

extension FieldSink {
    package mutating func code(_ value: inout UInt8) { write(value) }
    package mutating func code(_ value: inout UInt64) { write(value) }
    package mutating func code(_ value: inout Int64) { write(value) }
    package mutating func code(_ value: inout Int32) { write(Int64(value)) }
    package mutating func code(_ value: inout UInt32) { write(UInt64(value)) }
    package mutating func code(_ value: inout Bool) { write(value) }
    package mutating func code(_ value: inout String) { write(value) }

    package mutating func code<Value>(_ value: inout Value) where Value: RawRepresentable, Value.RawValue == UInt8 {
        write(value.rawValue)
    }

    package mutating func codeCount<Element>(_ values: inout [Element], blank: Element) {
        write(UInt64(values.count))
    }
}

extension ByteWriter: FieldSink {}

extension ByteReader: FieldCoder {
    package mutating func code(_ value: inout UInt8) throws(MalformedBytes) { value = try byte() }
    package mutating func code(_ value: inout UInt64) throws(MalformedBytes) { value = try unsigned() }
    package mutating func code(_ value: inout Int64) throws(MalformedBytes) { value = try signed() }
    package mutating func code(_ value: inout Bool) throws(MalformedBytes) { value = try bool() }
    package mutating func code(_ value: inout String) throws(MalformedBytes) { value = try string() }

    package mutating func code(_ value: inout Int32) throws(MalformedBytes) {
        guard let number = Int32(exactly: try signed()) else {
            throw MalformedBytes(offset: offset, expected: "a smaller number")
        }
        value = number
    }

    package mutating func code(_ value: inout UInt32) throws(MalformedBytes) {
        guard let number = UInt32(exactly: try unsigned()) else {
            throw MalformedBytes(offset: offset, expected: "a smaller number")
        }
        value = number
    }

    package mutating func code<Value>(_ value: inout Value) throws(MalformedBytes)
    where Value: RawRepresentable, Value.RawValue == UInt8 { value = try self.value(Value.self) }

    package mutating func codeCount<Element>(_ values: inout [Element], blank: Element) throws(MalformedBytes) {
        values = Array(repeating: blank, count: try count())
    }
}
