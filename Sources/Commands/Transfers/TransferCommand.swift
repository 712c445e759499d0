package import ArgumentParser
internal import LinuxSystem
internal import SystemPackage
package import TransferWire
internal import Wire

/// `greenroom transfer URL`
package struct TransferCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Transfer a file in the background, whatever happens to this terminal.",
        discussion: """
            Prints the transfer's id and returns: a service of its own does the rest, goes on where it was after a \
            crash or without a network, and gives the file its name when it is whole. greenroom transfers lists what \
            is under way. Works with and without a running system.
            """)

    @Argument(help: "What to fetch, or where an upload goes: http or https.")
    var url: String

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file that the download becomes.")
    var output: String?

    @Option(help: "Send this file instead (PUT).")
    var upload: String?

    @Flag(help: "Only while the network costs nothing and the machine hangs on a wire.")
    var discretionary = false

    @Option(help: "low waits for a radio that is awake anyway; high goes first.")
    var priority = Priority.default

    @Flag(help: "Return when it has ended; show how far it is.")
    var wait = false

    @Option(name: .customLong("header"), help: "A header field to send, as Name:Value; may be given several times.")
    var headers: [String] = []

    @Option(help: "What the file must hash to, as sha-256:HEX.")
    var checksum: String?

    /// With the numbers of `URLSessionTask`.
    package enum Priority: String, ExpressibleByArgument, CaseIterable {
        case low, `default`, high

        var number: Double {
            switch self {
            case .low: 0.25
            case .default: 0.5
            case .high: 0.75
            }
        }
    }

    package init() {}

    package func validate() throws {
        guard (output == nil) != (upload == nil) else {
            throw ValidationError("give either -o FILE, for a download, or --upload FILE")
        }
        if upload != nil, checksum != nil { throw ValidationError("--checksum is for downloads") }
        for header in headers where header.split(separator: ":", maxSplits: 1).count != 2 {
            throw ValidationError("--header wants Name:Value, not \(header)")
        }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var add = TransferAdd(
            url: try Self.address(url), discretionary: discretionary, priority: priority.number,
            headers: headers.map(Self.header),
            checksum: checksum, upload: upload != nil)
        let descriptor: Descriptor
        if let upload {
            descriptor = try open(absolute(upload, context), .read)
        } else {
            let given = output ?? ""
            let target = FilePath(absolute(given, context))
            guard !given.isEmpty, !given.hasSuffix("/") else {
                throw .misuse(
                    "-o needs the name of a file, and \(given.isEmpty ? "it is empty" : "\(given) is a folder")")
            }
            guard let name = target.lastComponent?.string, target.lastComponent?.kind == .regular else {
                throw .misuse("\(given) is no name for a file")
            }
            // The folder as it is now, without links on the way.
            let folder = FileSystem.realPath(target.removingLastComponent().string)
            descriptor = try open(folder, .directory)
            add.path = FilePath(folder).appending(name).string
        }
        let answer = try context.askTransfers(.add, add.json, [descriptor], takesTime: upload != nil)
        let id = try record(answer, TransferName.self).id
        guard wait else { return context.print(id) }
        try TransferWait(id: id, context: context).run()
    }

    private func absolute(_ path: String, _ context: CommandContext) -> String {
        let given = FilePath(path)
        return (given.isAbsolute ? given : FilePath(context.workingDirectory).pushing(given)).string
    }

    private func open(_ path: String, _ access: Descriptor.Access) throws(CommandFailure) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.open(path, access)
        } catch {
            throw .failed("\(Visible.line(path)) cannot be opened: \(error.errno)")
        }
    }

    /// Spaces and letters that no address may have are written as browsers write them.
    private static func address(_ text: String) throws(CommandFailure) -> String {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        guard ["http", "https"].contains(scheme), rest.hasPrefix("://"), rest.count > 3 else {
            throw .misuse("\(Visible.line(text)) is no address of http or https, which alone can be transferred")
        }
        let odd = Set("\"<>\\^`{|} ".utf8)
        return text.utf8.reduce(into: "") { address, byte in
            if (0x21..<0x7F).contains(byte), !odd.contains(byte) {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                address += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    private static func header(_ text: String) -> WireHeader {
        let parts = text.split(separator: ":", maxSplits: 1)
        return WireHeader(String(parts[0]), String(parts[1].drop { $0 == " " }))
    }
}

/// Waits for a transfer's end, across restarts of the service, and shows how far it is on a terminal.
struct TransferWait {
    let id: String
    let context: CommandContext

    /// A service that dies at every attempt must not keep a command for ever.
    private static let mostAttempts = 1000

    func run() throws(CommandFailure) {
        for _ in 0..<Self.mostAttempts {
            let connection = try TransferConnection.open(context)
            do throws(TransferConnection.Failure) {
                let end = try attempt(connection)
                if context.outputIsTerminal { context.write("\n") }
                guard end.state == .done else { return try fail(end) }
                return
            } catch {
                switch error {
                case .refused(let refusal): throw .failed(refusal.message)
                case .silent: throw .noDaemon(try TransferPlace(context).silence)
                case .broken: continue
                }
            }
        }
        throw .failed("the transfer service ends at every attempt")
    }

    private func fail(_ end: TransferEnd) throws(TransferConnection.Failure) {
        let word = end.state == .cancelled ? "was cancelled" : "failed"
        throw .refused(RPCError(.refused, "\(id) \(word)" + (end.error.map { ": \($0)" } ?? "")))
    }

    private func attempt(_ connection: TransferConnection) throws(TransferConnection.Failure) -> TransferEnd {
        if context.outputIsTerminal { _ = try connection.ask(TransferToolMethod.watch.rawValue, [:]) }
        let answer = try connection.begin(TransferToolMethod.wait.rawValue, TransferName(id: id).json)
        while true {
            switch try connection.next() {
            case .response(let answered, let result) where answered == answer:
                guard let end = try? TransferEnd(json: result) else { throw .broken }
                return end
            case .failure(let answered, let error) where answered == answer: throw .refused(error)
            case .notification("progress", let params):
                if let info = try? TransferInfo(json: params), info.id == id {
                    context.write("\r" + TransferLine.progress(info) + "\u{1b}[K")
                }
            case .response, .failure, .notification, .request: continue
            }
        }
    }
}

/// What is shown of a transfer.
package enum TransferLine {
    private static let width = 30

    /// `[=========>          ]  45 %  12.3 MB/s  0:12 left`
    package static func progress(_ info: TransferInfo) -> String {
        let done = info.kind == .upload ? info.sent : info.received
        if info.state == .waiting, let what = info.waitingFor {
            return "\(bar(done, info.expected))  waits: \(Visible.line(what))"
        }
        var text = "\(bar(done, info.expected))  \(amount(Double(info.rate)))/s"
        if let expected = info.expected, info.rate > 0, expected >= done {
            text += "  \(time((Double(expected) - Double(done)) / info.rate)) left"
        }
        return text
    }

    private static func bar(_ done: Int64, _ expected: Int64?) -> String {
        guard let expected, expected > 0 else { return amount(Double(done)) }
        let share = min(1, max(0, Double(done) / Double(expected)))
        let filled = Int(share * Double(width))
        let percent = String(Int(share * 100))
        let line = String(repeating: "=", count: filled) + (filled < width ? ">" : "")
        let rest = String(repeating: " ", count: max(0, width - filled - 1))
        return "[\(line)\(rest)] \(String(repeating: " ", count: 3 - percent.count))\(percent) %"
    }

    /// `12.3 MB`
    package static func amount(_ bytes: Double) -> String {
        // Far beyond all disks, and within all integers.
        var value = bytes.isFinite ? min(max(bytes, 0), 1e18) : 0
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 999.5 || unit == "GB" {
                let tenths = Int((value * 10).rounded())
                return unit == "B" || value >= 99.95
                    ? "\(Int(value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1000
        }
        return ""
    }

    /// `1:02:03`, or `2:03`
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 359_999))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return whole >= 3600
            ? "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
    }
}
