internal import AVFAudio
internal import CFetching
internal import Foundation
internal import Glibc

/// A sound of the network: as much of it as has come, in a file without a name. What is read next is fetched first,
/// and then all of it, at once: the radio sleeps sooner than with pieces.
///
/// Unchecked: what changes is used under the lock.
package final class HTTPBytes: SoundBytes, @unchecked Sendable {
    /// Bytes that are waited for rather than asked for anew.
    private static let near = 512 * 1024
    /// Bytes that a stream without an end is ahead.
    private static let mostAhead = 4 * 1024 * 1024
    /// What has no end is said to have so many bytes, since the library wants to know.
    private static let endless = Int(Int32.max) * 64
    /// Some formats have words behind their sound, which are asked for first. What has no end has none.
    private static let words = 256
    /// What is so much further than all that has come is not waited for while it is opened.
    private static let ahead = 64 * 1024
    /// Seconds between attempts, and attempts without any answer.
    private static let (longestPause, firstAttempts) = (10.0, 3)
    private static let mostThreads = 4

    private let url: URL
    private let headers: [String: String]
    private let condition = NSCondition()
    private let file: CInt
    private var stored: [Range<Int>] = []
    private var whole: Int?
    private var hasAnswered = false
    private var takesRanges = true
    /// Where the download is, while there is one.
    private var position = 0
    private var download = 0
    private var isDownloading = false
    /// It ended before what is there already.
    private var isLeftOut = false
    private var readPosition = 0
    private var threads = 0
    private var isOpening = true
    private var isClosed = false
    private var problem: String?
    private var attempts = 0

    package init(_ url: URL, headers: [String: String] = [:]) {
        (self.url, self.headers) = (url, headers)
        var name = Array((NSTemporaryDirectory() + "/greenroom-stream-XXXXXX").utf8CString)
        file = unsafe name.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, case let file = unsafe mkstemp(base), file >= 0 else { return -1 }
            unsafe unlink(base)
            return file
        }
    }

    deinit { if file >= 0 { Glibc.close(file) } }

    /// Nothing is fetched any more, and who waits gets nothing.
    package func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    /// Why nothing comes, if so.
    package var failure: String? { condition.withLock { problem } }
    /// Of the whole, how much is there from a place on.
    package var fraction: Double? {
        condition.withLock {
            whole.map { Double(stored.reduce(0) { $0 + $1.count }) / Double(max(1, $0)) }
        }
    }

    /// What of the whole is there, each part from 0 to 1.
    package var parts: [ClosedRange<Double>] {
        condition.withLock {
            guard let whole, whole > 0 else { return [] }
            return stored.map { Double($0.lowerBound) / Double(whole)...Double($0.upperBound) / Double(whole) }
        }
    }

    // MARK: SoundBytes

    package let isRemote = true

    package var hasEnd: Bool { condition.withLock { whole != nil } }

    package var length: Int {
        condition.withLock {
            while whole == nil, !hasAnswered, problem == nil, !isClosed {
                begin(at: 0)
                condition.wait()
            }
            return whole ?? (hasAnswered ? Self.endless : 0)
        }
    }

    package func bytes(at offset: Int, _ count: Int) -> Data {
        condition.withLock {
            readPosition = offset
            condition.broadcast()
            while !isClosed {
                if let range = stored.first(where: { $0.contains(offset) }) {
                    return read(offset, min(count, range.upperBound - offset))
                }
                if isOpening, hasAnswered, !takesRanges || whole == nil,
                    let answer = beyond(offset, count)
                {
                    return answer
                }
                if let whole, offset >= whole { return Data() }
                if problem != nil { return Data() }
                let comes = isDownloading && offset >= position && offset < position + Self.near
                if !comes, takesRanges || !isDownloading { begin(at: takesRanges ? offset : 0) }
                condition.wait()
            }
            return Data()
        }
    }

    /// The library has seen what the sound is. Until then it wants to see the end too, which may never come, or only
    /// when all has: it is shown a file that ends with nothing of interest.
    package func opened() { condition.withLock { isOpening = false } }

    private func beyond(_ offset: Int, _ count: Int) -> Data? {
        let end = whole ?? Self.endless
        if (end - Self.words..<end).contains(offset) { return Data(count: min(count, end - offset)) }
        return offset >= position + Self.ahead ? Data() : nil
    }

    private func read(_ offset: Int, _ count: Int) -> Data {
        var data = Data(count: count)
        let read = unsafe data.withUnsafeMutableBytes { buffer in
            unsafe buffer.baseAddress.map { unsafe pread(file, $0, count, off_t(offset)) } ?? 0
        }
        return data.prefix(max(0, read))
    }

    // MARK: Downloading

    private func begin(at offset: Int) {
        if isDownloading, offset == position { return }
        // Those that are not wanted any more end within a second, and then this is asked again.
        guard threads < Self.mostThreads else { return }
        threads += 1
        download += 1
        (isDownloading, position) = (true, offset)
        let number = download
        // It belongs to the thread until that ends, which it soon does when nobody else has it.
        let thread = Thread { [self] in run(number) }
        thread.name = "greenroom.stream"
        thread.start()
    }

    private func isCurrent(_ number: Int) -> Bool { !isClosed && download == number && problem == nil }

    private func run(_ number: Int) {
        defer {
            condition.withLock {
                threads -= 1
                condition.broadcast()
            }
        }
        while let offset = condition.withLock({ isCurrent(number) && isDownloading ? position : nil }) {
            let error = fetch(from: offset, number)
            condition.withLock {
                guard isCurrent(number) else { return }
                var error = isLeftOut ? nil : error
                if error == nil, !isLeftOut, position == offset, whole.map({ $0 > offset }) ?? false {
                    error = "\(url.host ?? "the server") sends less than it says"
                }
                if error == nil {
                    if whole == nil, !isLeftOut { whole = position }
                    if takesRanges { skipStored() }
                }
                isLeftOut = false
                if let whole, position >= whole {
                    isDownloading = false
                    // What was left out is fetched too.
                    if let gap = firstGap { begin(at: gap) }
                } else if let error {
                    pause(after: error)
                }
                condition.broadcast()
            }
        }
    }

    private var firstGap: Int? {
        guard let whole, takesRanges else { return nil }
        var end = 0
        for range in stored {
            if range.lowerBound > end { return end }
            end = max(end, range.upperBound)
        }
        return end < whole ? end : nil
    }

    private func pause(after error: String) {
        attempts += 1
        if !hasAnswered, attempts >= Self.firstAttempts {
            problem = error
        } else {
            let pause = min(Self.longestPause, 0.25 * Double(1 << min(attempts, 8)))
            let (end, number) = (Date(timeIntervalSinceNow: pause), download)
            // Others are woken by the same condition.
            while isCurrent(number), condition.wait(until: end) {}
        }
    }

    private func skipStored() {
        while let range = stored.first(where: { $0.contains(position) }) { position = range.upperBound }
    }

    /// What the library calls.
    private final class Call {
        let bytes: HTTPBytes
        let number: Int
        init(_ bytes: HTTPBytes, _ number: Int) { (self.bytes, self.number) = (bytes, number) }
    }

    /// - Returns: why not all has come.
    private func fetch(from offset: Int, _ number: Int) -> String? {
        let call = Call(self, number)
        var text = [CChar](repeating: 0, count: 256)
        let lines = unsafe headers.map { unsafe strdup("\($0.key): \($0.value)") }
        defer { unsafe lines.forEach { unsafe free($0) } }
        var pointers = unsafe lines.map { unsafe UnsafePointer<CChar>($0) } + [nil]
        let result = unsafe pointers.withUnsafeMutableBufferPointer { pointers in
            unsafe url.absoluteString.withCString { url in
                unsafe "AVFoundation (Greenroom)".withCString { agent in
                    var setup = unsafe gr_fetch_setup(
                        url: url, offset: Int64(offset), user_agent: agent,
                        headers: UnsafePointer(pointers.baseAddress),
                        answered: { owner, status, length, whole in
                            let call = unsafe Unmanaged<Call>.fromOpaque(owner).takeUnretainedValue()
                            return call.bytes.answered(call.number, status, Int(length), Int(whole))
                        },
                        received: { owner, bytes, count in
                            let call = unsafe Unmanaged<Call>.fromOpaque(owner).takeUnretainedValue()
                            return unsafe call.bytes.received(
                                call.number, UnsafeRawBufferPointer(start: bytes, count: count))
                        },
                        is_wanted: { owner in
                            let call = unsafe Unmanaged<Call>.fromOpaque(owner).takeUnretainedValue()
                            return call.bytes.condition.withLock { call.bytes.isCurrent(call.number) }
                        }, owner: Unmanaged.passUnretained(call).toOpaque())
                    return unsafe gr_fetch(&setup, &text, text.count)
                }
            }
        }
        guard result != 0 else { return nil }
        let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(url.host ?? "the server") does not answer: \(message)"
    }

    private func answered(_ number: Int, _ status: Int, _ length: Int, _ whole: Int) -> Bool {
        condition.withLock {
            guard isCurrent(number) else { return false }
            defer { condition.broadcast() }
            switch status {
            case 206:
                if whole >= 0 { self.whole = whole }
            case 200:
                // It comes from its begin, whatever was asked for.
                if position > 0 { takesRanges = false }
                position = 0
                if length >= 0 { self.whole = length } else { takesRanges = false }
            case 416: self.whole = self.whole ?? position
            case 500...599 where hasAnswered: return false
            default:
                problem = "\(url.host ?? "the server") answers \(status) for \(url.path)"
                return false
            }
            (hasAnswered, attempts) = (true, 0)
            return true
        }
    }

    private func received(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        condition.withLock {
            // What has no end waits for its reader.
            while isCurrent(number), whole == nil, position > readPosition + Self.mostAhead { condition.wait() }
            guard isCurrent(number), let base = bytes.baseAddress else { return false }
            guard unsafe pwrite(file, base, bytes.count, off_t(position)) == bytes.count else {
                problem = "there is no room for what \(url.host ?? "the server") sends"
                condition.broadcast()
                return false
            }
            store(position..<position + bytes.count)
            position += bytes.count
            condition.broadcast()
            // What is there need not come again.
            let next = stored.first { $0.contains(position) }?.upperBound
            guard takesRanges, let next, next - position > Self.near else { return true }
            (position, isLeftOut) = (next, true)
            return false
        }
    }

    private func store(_ range: Range<Int>) {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        stored.removeAll { one in
            guard one.lowerBound <= upper, one.upperBound >= lower else { return false }
            (lower, upper) = (min(lower, one.lowerBound), max(upper, one.upperBound))
            return true
        }
        stored.append(lower..<upper)
        stored.sort { $0.lowerBound < $1.lowerBound }
    }
}
