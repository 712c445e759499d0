internal import IOSFoundation

/// A time as an object. The plugin IOSSources puts it in the place of `NSValue(time:)`: on Linux a value holds numbers
/// alone, and cannot be made by an initializer of ours.
public func CMBoxedTime(time: CMTime) -> NSValue {
    CMBoxedTime(timeRange: CMTimeRange(start: time, duration: .zero))
}

/// A range of times as an object, in the place of `NSValue(timeRange:)`.
public func CMBoxedTime(timeRange: CMTimeRange) -> NSValue {
    // Two values are the same if these are.
    let value = NSValue(
        range: NSRange(
            location: Int(bitPattern: UInt(timeRange.start.seconds.bitPattern)),
            length: Int(bitPattern: UInt(timeRange.duration.seconds.bitPattern))))
    if let key = unsafe key { unsafe objc_setAssociatedObject(value, key, timeRange, .OBJC_ASSOCIATION_RETAIN) }
    return value
}

extension NSValue {
    /// The boxed time; zero where something else is boxed.
    public var timeValue: CMTime { timeRangeValue.start }

    /// The boxed range; zero where something else is boxed.
    public var timeRangeValue: CMTimeRange {
        unsafe key.flatMap { unsafe objc_getAssociatedObject(self, $0) } as? CMTimeRange ?? .zero
    }
}

/// Where times hang on values: an address that is the type's own.
private var key: UnsafeRawPointer? {
    unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(CMTimeRange.self)))
}
