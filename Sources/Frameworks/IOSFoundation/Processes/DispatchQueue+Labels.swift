public import Dispatch
internal import Glibc
internal import Synchronization

/// The label of a queue, as C's `dispatch_queue_get_label`; of the queue that the calling code runs on for `nil`.
/// Linux's Dispatch has `DispatchQueue.label` alone. Any thread may ask; the text stays for the life of the process.
public func __dispatch_queue_get_label(_ queue: DispatchQueue?) -> UnsafePointer<CChar> {
    guard let queue else { return unsafe QueueLabels.current }
    return unsafe QueueLabels.text(queue.label)
}

private enum QueueLabels {
    private typealias Getter = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>?

    private static let getter: Getter? = {
        guard let symbol = unsafe dlsym(nil, "dispatch_queue_get_label") else { return nil }
        return unsafe unsafeBitCast(symbol, to: Getter.self)
    }()

    static var current: UnsafePointer<CChar> {
        let label = unsafe getter?(nil).map { unsafe String(cString: $0) }
        return unsafe text(label ?? "")
    }

    // The addresses of texts that nobody changes or frees.
    private static let kept = Mutex<[String: UInt]>([:])

    static func text(_ label: String) -> UnsafePointer<CChar> {
        let address = kept.withLock { kept in
            if let known = kept[label] { return known }
            let bytes = label.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (place, byte) in bytes.enumerated() { unsafe copy[place] = byte }
            let address = UInt(bitPattern: copy)
            kept[label] = address
            return address
        }
        guard let pointer = unsafe UnsafePointer<CChar>(bitPattern: address) else {
            // Nothing could be returned, and it cannot happen.
            preconditionFailure("memory that was allocated has an address")
        }
        return unsafe pointer
    }
}
