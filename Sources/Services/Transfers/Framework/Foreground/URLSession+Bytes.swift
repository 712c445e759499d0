public import Foundation
public import FoundationNetworking

// What Apple's Foundation has of bytes as they come and Foundation on Linux lacks.

extension URLSession {
    /// The bytes of an answer, as they come. The task is cancelled when nobody holds them any more.
    public struct AsyncBytes: AsyncSequence, Sendable {
        /// A byte.
        public typealias Element = UInt8

        /// The task that loads them.
        public let task: URLSessionDataTask
        fileprivate let stream: ByteStream

        /// The answer's bytes, from where another iterator has come to.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream) }

        /// The answer's lines, of UTF-8, without what separates them.
        public var lines: AsyncLineSequence<AsyncBytes> { AsyncLineSequence(self) }

        /// Hands out bytes.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let stream: ByteStream
            private var chunk: [UInt8] = []
            private var place = 0

            fileprivate init(_ stream: ByteStream) { self.stream = stream }

            /// The next byte; `nil` at the end of the answer.
            ///
            /// - Throws: why it broke off, or a `URLError` that says that it was cancelled.
            public mutating func next() async throws -> UInt8? {
                while place == chunk.count {
                    guard let next = try await stream.load.next() else { return nil }
                    (chunk, place) = ([UInt8](next), 0)
                }
                defer { place += 1 }
                return chunk[place]
            }
        }
    }

    /// Loads what is at an address, byte by byte.
    ///
    /// - Parameter delegate: hears of challenges and redirections in place of the session's.
    /// - Returns: when the answer has begun.
    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// Loads what a request asks for, byte by byte.
    ///
    /// - Parameter delegate: hears of challenges and redirections in place of the session's.
    /// - Returns: when the answer has begun.
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        guard let load = (self as? ForegroundURLSession)?.byteLoad(delegate: delegate) else {
            // A background session loads files, and what the program made of a class of its own is Foundation's.
            throw URLError(.unsupportedURL)
        }
        let (task, response) = try await load.response(to: request)
        return (AsyncBytes(task: task, stream: ByteStream(load)), response)
    }
}

/// Ends with those that hold it.
private final class ByteStream: Sendable {
    let load: ByteLoad

    init(_ load: ByteLoad) { self.load = load }

    deinit { load.cancel() }
}

/// Lines of UTF-8 among bytes, without what separates them: any of Unicode's line breaks.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A line.
    public typealias Element = String

    private let base: Base

    init(_ base: Base) { self.base = base }

    /// The lines from the first one on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base.makeAsyncIterator()) }

    /// Hands out lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private var line: [UInt8] = []
        private var followsReturn = false

        fileprivate init(_ base: Base.AsyncIterator) { self.base = base }

        /// The next line; `nil` at the end. Empty lines come, too.
        public mutating func next() async throws -> String? { try await next(isolation: nil) }

        /// The next line; `nil` at the end. Empty lines come, too.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
            while let byte = try await base.next(isolation: actor) {
                let isPair = followsReturn && byte == UInt8(ascii: "\n")
                followsReturn = byte == UInt8(ascii: "\r")
                if isPair { continue }
                line.append(byte)
                if let length = LineBreak.length(atEndOf: line) { return take(without: length) }
            }
            return line.isEmpty ? nil : take(without: 0)
        }

        private mutating func take(without count: Int) -> String {
            defer { line = [] }
            return String(decoding: line.dropLast(count), as: UTF8.self)
        }
    }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}

private enum LineBreak {
    /// How many bytes of a break the line ends with.
    static func length(atEndOf line: [UInt8]) -> Int? {
        switch line.last {
        // Line feed, vertical tab, form feed and carriage return.
        case 0x0a, 0x0b, 0x0c, 0x0d: 1
        // U+0085, next line.
        case 0x85 where line.suffix(2) == [0xc2, 0x85]: 2
        // U+2028 and U+2029, the separators of lines and paragraphs.
        case 0xa8 where line.suffix(3) == [0xe2, 0x80, 0xa8], 0xa9 where line.suffix(3) == [0xe2, 0x80, 0xa9]: 3
        default: nil
        }
    }
}
