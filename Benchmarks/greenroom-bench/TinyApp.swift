internal import Glibc
internal import LinuxSystem
internal import Wire

/// The smallest app that speaks the protocol: every callback returns at once. What is measured with it is Greenroom's
/// part.
enum TinyApp {
    private static let id = Array("\"id\":".utf8)
    private static let method = Array("\"method\":".utf8)
    private static let answerStart = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    private static let answerEnd = Array(",\"result\":{}}\n".utf8)
    private static let hello = """
        {"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"bench/1.0","executed":null}}

        """

    private static let window = Array("\"window\":".utf8)
    private static let completionStart = Array(
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"complete\",\"params\":{\"window\":".utf8)

    private static let connect = """
        {"jsonrpc":"2.0","id":2,"method":"connect","params":{"service":"bench"}}

        """

    static func run(_ words: String) throws -> CInt {
        var appetite = try Appetite(words)
        try appetite.begin()
        guard let fd = CurrentProcess.environment(AppEnvironment.descriptor).flatMap({ CInt($0) }) else {
            throw BenchError("this mode is for apps: Greenroom starts them")
        }
        let socket = Descriptor(owning: fd)
        try socket.writeAll(Array((hello + (appetite.connects ? connect : "")).utf8))
        var bytes: [UInt8] = []
        while true {
            while appetite.isGrowing, !isReadable(socket, milliseconds: appetite.pause) { try appetite.grow() }
            guard case .bytes = try socket.read(into: &bytes, upTo: 2_048) else { return 0 }
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                if let answer = answer(bytes[..<end]) { try socket.writeAll(answer) }
                if let completion = completion(bytes[..<end]) { try socket.writeAll(completion) }
                bytes.removeSubrange(...end)
            }
        }
    }

    private static func isReadable(_ socket: Descriptor, milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) != 0
    }

    /// `nil` for what is no request.
    private static func answer(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard find(method, in: line) != nil, let start = find(id, in: line) else { return nil }
        let value = line[start...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        return answerStart + value + answerEnd
    }

    /// What it was woken for is done at once; `nil` for what is no window.
    private static func completion(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard find(method, in: line) != nil, let start = find(window, in: line) else { return nil }
        let number = line[start...].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return completionStart + number + answerEnd.drop { $0 != UInt8(ascii: "}") }
    }

    /// Index after the first occurrence.
    private static func find(_ word: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
        var index = line.startIndex
        while line.endIndex - index >= word.count {
            if line[index] == word[0], line[index..<index + word.count].elementsEqual(word) {
                return index + word.count
            }
            index += 1
        }
        return nil
    }
}
