/// Something that reads what strangers wrote, and what it promises of every input.
struct FuzzTarget: Sendable {
    /// Names its folder in `Fuzzing/Corpus` and its file in `Fuzzing/Dictionaries`.
    let name: String
    /// What is tried, for people.
    let summary: String
    /// Bytes of the longest input.
    var longest = 4096
    /// Bytes that a run may ask for: so many, and so many more for each byte of the input.
    var memory = (base: 1 << 20, perByte: 4096)
    /// Reads one input. Throws a `BrokenPromise`, or traps, where the code under test is wrong.
    let run: @Sendable ([UInt8]) throws(BrokenPromise) -> Verdict

    init(
        _ name: String, _ summary: String, longest: Int = 4096, memory: (base: Int, perByte: Int) = (1 << 20, 4096),
        run: @escaping @Sendable ([UInt8]) throws(BrokenPromise) -> Verdict
    ) {
        self.name = name
        self.summary = summary
        self.longest = longest
        self.memory = memory
        self.run = run
    }
}

/// What the code said of an input. The seeded driver keeps an input whose verdict is new, to go on from there.
enum Verdict: Hashable, Sendable {
    case taken(String)
    case refused(String)

    static let taken = Verdict.taken("")

    /// The kind of it: numbers and what was quoted differ without meaning anything.
    var kind: String {
        let text =
            switch self {
            case .taken(let detail): "+" + detail
            case .refused(let reason): "-" + reason
            }
        var kind: [UInt8] = []
        var isQuoted = false
        for byte in text.utf8.prefix(200) {
            if byte == UInt8(ascii: "\"") || byte == 0x80 || byte == 0x9C || byte == 0x9D { isQuoted.toggle() }
            if !isQuoted, !(0x30...0x39).contains(byte), byte < 0x80 { kind.append(byte) }
        }
        return String(decoding: kind, as: UTF8.self)
    }
}

/// What a target promises of every input did not hold of this one.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

func promise(_ holds: Bool, _ what: @autoclosure () -> String) throws(BrokenPromise) {
    if !holds { throw BrokenPromise(description: what()) }
}
