package import ArgumentParser
internal import Glibc
internal import Model
internal import Timeline
internal import Wire

/// `greenroom timeline`
package struct TimelineCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Draw what the apps did: states, assertions, processor and memory over time.",
        discussion: """
            Without --since the picture shows the last ten minutes; --export and --json tell all that is kept. \
            ui.perfetto.dev and speedscope.app open an exported file. With --json, one record a line.
            """)

    @Option(help: "Only this app.", completion: .custom { _, _, _ in Completions.apps() })
    var app: String?

    @Option(
        help: ArgumentHelp(
            "From when on: 90s, 10m, 2h or 1d ago, or a time like 2026-11-21T10:00:00Z.", valueName: "when"))
    var since: String?

    @Option(
        help: ArgumentHelp("Write it to a file in the Trace Event format; - is standard output.", valueName: "file"),
        completion: .file())
    var export: String?

    @OptionGroup var format: JSONOption

    package init() {}

    package func validate() throws {
        if export != nil, format.json { throw ValidationError("--export and --json are two forms: choose one") }
        if let since, Self.length(since) == nil, Moment(since) == nil {
            throw ValidationError("--since takes 90s, 10m, 2h, 1d, or a time like 2026-11-21T10:00:00Z, not “\(since)”")
        }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        let filter = try app.map { app throws(CommandFailure) in try client.filter(app) }
        var begin = since.flatMap { Self.begin($0, context.clock) }
        if export == nil, !format.json { begin = begin ?? Self.begin("10m", context.clock) }
        var reader = TimelineReader(client: client, app: filter, since: begin)
        guard !format.json else {
            return try reader.readAll { context.print(JSONText.line($0)) }
        }
        var records: [TimelineRecord] = []
        var failure: RPCError?
        try reader.readAll { json in
            do throws(RPCError) {
                if let record = try TimelineRecord(json: json) { records.append(record) }
            } catch {
                failure = error
            }
        }
        if let failure {
            throw .failed("the daemon's answer cannot be read: \(failure.message). Is it of another version?")
        }
        let tracks = Tracks(records, now: reader.now, since: begin)
        if let export {
            try write(tracks, to: export, context)
        } else {
            context.write(
                TimelinePicture(tracks, width: Self.width(context), clock: context.clock).text(context.style))
        }
    }

    private static func begin(_ text: String, _ clock: Moment.Clock) -> WallTime? {
        if let length = length(text) { return WallTime(nanoseconds: clock.now().nanoseconds &- length.nanoseconds) }
        return Moment(text)?.time
    }

    /// `90s`, `10m`, `2h`, `1d`.
    private static func length(_ text: String) -> Span? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...1_000_000).contains(count), text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") })
        else { return nil }
        return Span.seconds(1) * (count * unit)
    }

    private static func width(_ context: CommandContext) -> Int {
        let told = (context.environment["COLUMNS"]).flatMap { Int($0) }
        let columns = context.outputIsTerminal ? RawTerminal.size(STDOUT_FILENO).map { Int($0.columns) } : nil
        return min(400, max(60, columns ?? told ?? 100))
    }

    private func write(_ tracks: Tracks, to path: String, _ context: CommandContext) throws(CommandFailure) {
        let program = "Greenroom \(Release.version)"
        guard path != "-" else {
            return TraceEvents.write(tracks, program: program) { context.output.write($0) }
        }
        let file = try OutputFile(path, in: context)
        TraceEvents.write(tracks, program: program) { file.write($0) }
        try file.close()
    }
}

/// Reads the timeline in pieces that fit into a message.
struct TimelineReader {
    private let client: ControlClient
    private var params: JSONObject = [:]
    /// The daemon's clock when it answered last.
    private(set) var now: Instant?

    init(client: ControlClient, app: String?, since: WallTime?) {
        self.client = client
        if let app { params["app"] = .string(app) }
        if let since { params["since"] = .string(since.iso8601) }
    }

    mutating func readAll(_ use: (JSONValue) -> Void) throws(CommandFailure) {
        while true {
            let answer = try client.request(.timeline, params)
            guard let records = answer["records"]?.array else {
                throw .failed("the daemon's answer has no records. Is it of another version?")
            }
            for record in records { use(record) }
            now = answer["clock"]?.int.map { Instant(nanoseconds: Int64($0)) }
            guard let next = answer["next"] else { return }
            params["after"] = next
        }
    }
}
