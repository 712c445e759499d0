internal import Glibc
internal import LinuxSystem
internal import Model
internal import Wire

/// The system as long as `greenroom up` stays: prints its log, and takes it down when it is interrupted.
struct ForegroundSystem {
    private let home: GreenroomHome
    private let context: CommandContext
    private let arguments: [String]
    private let printer: LogPrinter
    private var log: ControlConnection?
    private var reader: LogReader?
    /// The first signal asks, the second kills.
    private var farewell: ControlConnection?
    private var interruptions = 0
    private var wasReady = false

    private static let interval = Model.Span.milliseconds(50)

    init(home: GreenroomHome, context: CommandContext, arguments: [String]) {
        self.home = home
        self.context = context
        self.arguments = arguments
        printer = LogPrinter(context: context, asJSON: false)
    }

    /// Returns when the system is down; throws when nobody asked for that.
    mutating func run(_ start: () throws(CommandFailure) -> StartedKeeper) throws(CommandFailure) {
        let signals = SignalWatch([SIGINT, SIGTERM, SIGHUP])
        let keeper = try start()
        while true {
            if let status = keeper.ended() { return try finish(keeper, status) }
            keeper.listen()
            // Until then, what answers there may be another's.
            if keeper.holdsHome { connect() }
            let isSettled = log != nil && (interruptions == 0 || farewell != nil)
            let events = signals.wait(
                reading: [keeper.process.descriptor.rawValue, log?.number ?? -1, farewell?.number ?? -1],
                atMost: isSettled ? nil : Self.interval)
            if !events.signals.isDisjoint(with: [SIGINT, SIGTERM, SIGHUP]) { try interrupt(keeper) }
            if let log, events.readable.contains(log.number) { follow(log) }
            if let farewell, events.readable.contains(farewell.number), (try? farewell.fill()) == nil {
                self.farewell = nil
            }
        }
    }

    private mutating func connect() {
        if interruptions > 0, farewell == nil, let connection = try? ControlConnection(path: home.controlSocket) {
            if (try? connection.send(.down, [:])) != nil { farewell = connection }
        }
        guard log == nil, interruptions == 0,
            (try? ControlConnection(path: home.controlSocket)) != nil
        else { return }
        let client = ControlClient(home: home, patience: .zero, silence: context.silence)
        var reader = self.reader ?? LogReader(client: client)
        do throws(CommandFailure) {
            if !wasReady {
                try reader.readAll { _ in }
                context.print("Greenroom runs in \(home.path). Ctrl-C takes it down.")
                wasReady = true
            }
            reader = LogReader(client: client, after: reader.position)
            printer.print(try reader.subscribe())
        } catch {
            return
        }
        self.reader = reader
        log = client.connection
        // Entries may have come in one piece with the answer; nothing would announce them again.
        if let log { follow(log, reads: false) }
    }

    private mutating func follow(_ connection: ControlConnection, reads: Bool = true) {
        do throws(ControlConnection.Broken) {
            if reads { try connection.fill() }
            while let message = try connection.buffered() {
                guard let entry = LogReader.entry(message) else { continue }
                printer.print(reader?.fresh([entry]) ?? [])
            }
        } catch {
            log = nil
        }
    }

    private mutating func interrupt(_ keeper: StartedKeeper) throws(CommandFailure) {
        guard keeper.holdsHome else {
            _ = try? keeper.process.send(Signal.kill)
            return
        }
        interruptions += 1
        guard interruptions > 1 else { return context.note("going down; once more kills everything at once") }
        _ = try Leftovers(home: home).clearAlone(endingSupervision: true)
        try? keeper.process.send(Signal.kill)
    }

    private func finish(_ keeper: StartedKeeper, _ status: ProcessStatus) throws(CommandFailure) {
        if keeper.isTaken { throw UpCommand.alreadyRuns(home, arguments) }
        if interruptions == 0, !(status == .exited(0) && wasReady) {
            // Another one may have been started meanwhile, and is not this command's to end.
            if wasReady {
                let sentence = keeper.failure ?? "the supervisor \(status.sentence)"
                throw .failed(
                    "the system ended: \(Visible.line(sentence)). greenroom up starts it again, apps included")
            }
            throw UpCommand.didNotStart(keeper.failure, status, "")
        }
        _ = try Leftovers(home: home).clearAlone(endingSupervision: false)
        context.print("Greenroom in \(home.path) is down")
    }
}
