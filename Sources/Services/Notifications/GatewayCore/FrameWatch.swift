package import Model

/// Counts along with the bytes of an HTTP/2 connection, to know since when the client has been in the middle of
/// something. A library that reads frames says so only once they are whole.
package struct FrameWatch: Sendable {
    /// “PRI * HTTP/2.0” and the rest of it, before the first frame.
    private var prefaceLeft = 24
    private var headerCount = 0
    private var length = 0
    private var kind: UInt8 = 0
    private var flags: UInt8 = 0
    private var payloadLeft = 0
    /// A block of headers has begun, and goes on in another frame.
    private var isInHeaders = false

    /// Since when a frame, or a block of headers, has been unfinished. Bodies do not count: each request has a time of
    /// its own.
    package private(set) var unfinished: Instant?

    /// The client sends more frames without a request, such as WINDOW_UPDATE and PING, than any client needs.
    package private(set) var isFlooding = false
    private var budget = FrameWatch.mostIdleFrames
    private var countedAt: Instant?
    private static let mostIdleFrames = 4000.0
    private static let idleFramesPerSecond = 100.0
    /// A client may acknowledge each answer, and have the window of each stream grow.
    private static let idleFramesPerRequest = 20.0

    private enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let pushPromise: UInt8 = 5
        static let continuation: UInt8 = 9
    }

    private static let endHeaders: UInt8 = 4

    package init() {}

    package mutating func read(_ bytes: some RandomAccessCollection<UInt8>, at now: Instant) {
        let pause = countedAt.map { (now - $0).seconds } ?? 0
        budget = min(Self.mostIdleFrames, budget + pause * Self.idleFramesPerSecond)
        countedAt = now
        var rest = bytes[...]
        let preface = min(prefaceLeft, rest.count)
        prefaceLeft -= preface
        rest = rest.dropFirst(preface)
        while !rest.isEmpty {
            if headerCount < 9 {
                readHeader(rest.removeFirst())
            } else {
                let count = min(payloadLeft, rest.count)
                payloadLeft -= count
                rest = rest.dropFirst(count)
            }
            if headerCount == 9, payloadLeft == 0 {
                finishFrame()
                if !isInHeaders { unfinished = nil }
            }
        }
        unfinished = isUnfinished ? unfinished ?? now : nil
    }

    private var isUnfinished: Bool {
        isInHeaders || (1..<24).contains(prefaceLeft) || (1..<9).contains(headerCount)
            || headerCount == 9 && kind != Kind.data
    }

    /// Three bytes of length, one of the kind, one of flags, four of the stream.
    private mutating func readHeader(_ byte: UInt8) {
        switch headerCount {
        case 0: length = Int(byte)
        case 1, 2: length = length << 8 | Int(byte)
        case 3: kind = byte
        case 4: flags = byte
        default: break
        }
        headerCount += 1
        if headerCount == 9 { payloadLeft = length }
    }

    private mutating func finishFrame() {
        headerCount = 0
        let isOfUse = kind == Kind.headers || (kind == Kind.data && length > 0)
        budget += kind == Kind.headers ? Self.idleFramesPerRequest : isOfUse ? 0 : -1
        if budget < 0 { isFlooding = true }
        switch kind {
        case Kind.headers, Kind.pushPromise, Kind.continuation: isInHeaders = flags & Self.endHeaders == 0
        default: break
        }
    }
}
