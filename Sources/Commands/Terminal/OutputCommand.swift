package import ArgumentParser
internal import Wire

/// `greenroom output APP`
package struct OutputCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "output", abstract: "Print what an app wrote to its standard output and error.",
        discussion: """
            On a terminal, control characters are made visible; into a file or a pipe the bytes go as they are.
            """)

    @OptionGroup var target: AppArgument

    @Flag(name: .shortAndLong, help: "Go on with what it prints from now on.")
    var follow = false

    @Option(name: [.customShort("n"), .long], help: "Only the last lines.")
    var lines: Int?

    @OptionGroup var format: JSONOption

    package init() {}

    package func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines needs a number that is not negative") }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.output, app: target.app)
        guard !format.json else { return context.print(json: answer) }
        guard let path = answer["path"]?.string else {
            throw .failed("the daemon's answer has no path. Is it of another version?")
        }
        var reader = OutputReader(path: path)
        var printer = OutputPrinter(context: context)
        printer.print(reader.available(lines: lines))
        guard follow else { return printer.finish() }
        reader.follow { printer.print($0) }
    }
}

/// Bytes as they are, or lines that a terminal can bear.
private struct OutputPrinter {
    let context: CommandContext
    /// A character that is cut in two by a read waits for its rest.
    private var rest: [UInt8] = []

    init(context: CommandContext) { self.context = context }

    mutating func print(_ bytes: [UInt8]) {
        guard context.outputIsTerminal else { return context.output.write(bytes) }
        let all = rest + bytes
        let whole = all.count - Self.cut(all)
        rest = Array(all[whole...])
        context.write(Visible.lines(String(decoding: all[..<whole], as: UTF8.self)))
    }

    mutating func finish() {
        guard !rest.isEmpty else { return }
        context.write(Visible.lines(String(decoding: rest, as: UTF8.self)))
        rest = []
    }

    /// How many bytes at the end begin a character that is not whole.
    private static func cut(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.reversed().prefix(4).enumerated() {
            switch byte {
            case 0x80...0xBF: continue
            case 0xC2...0xDF: return index < 1 ? index + 1 : 0
            case 0xE0...0xEF: return index < 2 ? index + 1 : 0
            case 0xF0...0xF4: return index < 3 ? index + 1 : 0
            default: return 0
            }
        }
        return 0
    }
}
