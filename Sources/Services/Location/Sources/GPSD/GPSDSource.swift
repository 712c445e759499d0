package import Dispatch
internal import LinuxSystem
internal import LocationModel

/// Satellites, by gpsd.
///
/// While it is on it watches gpsd; while it is off it has no connection, so that gpsd can let the receiver sleep. A
/// connection that ends is made again after growing pauses. `Fix.time` is what the receiver says, and fixes come in
/// the order in which gpsd sends them.
///
/// Unchecked: used on its queue only; its client is called there.
package final class GPSDSource: LocationSource, @unchecked Sendable {
    /// How long gpsd may take to say anything.
    private static let silence = Duration.seconds(10)

    private let queue: DispatchQueue
    private let address: GPSDAddress
    /// How long a receiver may be without a fix. One that was off for months needs most of a minute.
    private let patience: Duration
    private weak var client: (any LocationSourceClient)?
    private var told = ToldState()
    private var pauses = Pauses(from: 50, to: 5_000)
    private var link: GPSDLink?
    /// Of this connection, or until the next one.
    private let timers: SessionTimers
    /// What gpsd has said in this connection.
    private var heard = Heard()

    private struct Heard {
        var isAnything = false
        /// Whether it has said what receivers it has.
        var hasListed = false
        var devices: Set<String> = []
        /// By the monotonic clock: the last fix, or since when one is waited for.
        var lastFix: Int64 = 0
        var lacksFixes = false
        /// By the same clock: the last fix with a time of its own.
        var lastTimed: Int64?
        /// Fixes without one since then.
        var untimed = 0
    }

    package init(queue: DispatchQueue, address: GPSDAddress = .standard, patience: Duration = .seconds(60)) {
        (self.queue, self.address, self.patience) = (queue, address, patience)
        timers = SessionTimers(queue)
    }

    package func begin(_ client: any LocationSourceClient) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.client = client
        tell(.present)
    }

    package func end() {
        dispatchPrecondition(condition: .onQueue(queue))
        client = nil
        isOn = false
    }

    package var isOn = false {
        didSet {
            dispatchPrecondition(condition: .onQueue(queue))
            guard isOn != oldValue else { return }
            pauses.reset()
            if isOn { connect() } else { disconnect() }
        }
    }

    private func tell(_ state: SourceState) {
        if told.set(state) { client?.source(.gps, is: state) }
    }

    // MARK: Connections

    private func connect() {
        timers.cancel()
        heard = Heard()
        let link = GPSDLink(address, queue: queue, client: self)
        self.link = link
        link.open()
        later(Self.silence) { source in
            guard !source.heard.isAnything else { return }
            source.tell(
                .absent(
                    "gpsd at \(source.address) says nothing: check that a gpsd of version 3 listens there, and "
                        + "restart it"
                ))
        }
    }

    private func disconnect() {
        timers.cancel()
        link?.close(saying: "?WATCH={\"enable\":false};\n")
        link = nil
    }

    private func connectLater() {
        timers.after(.milliseconds(pauses.next())) { [weak self] in
            if let self, isOn { connect() }
        }
    }

    /// Does something if this connection is there still.
    private func later(_ pause: Duration, _ body: @escaping @Sendable (GPSDSource) -> Void) {
        timers.after(pause.dispatch) { [weak self] in
            if let self, link != nil { body(self) }
        }
    }

    // MARK: What gpsd says

    private func handle(_ report: GPSDReport) {
        switch report {
        case .version: break
        case .devices(let devices): (heard.devices, heard.hasListed) = (devices, true)
        case .device(let path, let isActive):
            if isActive { add(path) } else { heard.devices.remove(path) }
        case .noFix(let device): add(device ?? "")
        case .fix(let fix, let device):
            (heard.lastTimed, heard.untimed) = (Clock.monotonic(), 0)
            return found(fix, device)
        case .untimedFix(var fix, let device):
            heard.untimed += 1
            let isUsual = heard.untimed >= Self.untimedAtOnce
            guard heard.lastTimed.map({ Clock.monotonic() - $0 > Self.timedFor }) ?? isUsual else { break }
            fix.time = Double(Clock.wall()) / 1e9
            return found(fix, device)
        case .error(let message):
            return tell(.absent("gpsd at \(address) refuses to be watched: \(message). Check its version"))
        }
        judge()
    }

    /// A receiver that tells the time may leave it out of one or two fixes, before its first whole cycle: the time of
    /// this machine would put them out of order. Others never tell it, such as those that send GGA alone.
    private static let untimedAtOnce = 3
    private static let timedFor: Int64 = 10_000_000_000

    private func found(_ fix: Fix, _ device: String?) {
        // gpsd opens a device again that it has let go of, and does not say so.
        add(device ?? "")
        heard.lastFix = Clock.monotonic()
        heard.lacksFixes = false
        pauses.reset()
        judge()
        client?.found(fix)
    }

    private func add(_ device: String) {
        if heard.devices.count < GPSDReport.mostDevices { heard.devices.insert(device) }
    }

    private func judge() {
        if heard.devices.isEmpty {
            // Before `DEVICES` gpsd has only said its version.
            guard heard.hasListed else { return }
            tell(
                .absent("gpsd at \(address) has no receiver: plug one in, or name its device in /etc/default/gpsd"))
        } else if heard.lacksFixes {
            tell(
                .absent(
                    "The receiver of gpsd at \(address) has had no fix for \(patience.components.seconds) seconds: "
                        + "it needs a clear view of the sky"))
        } else {
            tell(.present)
        }
    }

    /// Says that there are no fixes when the last one is too long ago.
    private func awaitFix(_ pause: Duration) {
        later(pause) { source in
            let left = source.patience - .nanoseconds(Clock.monotonic() - source.heard.lastFix)
            if left <= .zero, !source.heard.lacksFixes {
                source.heard.lacksFixes = true
                source.judge()
            }
            source.awaitFix(left > .zero ? left : source.patience)
        }
    }
}

extension GPSDSource: GPSDLinkClient {
    func linkIsOpen(_ link: GPSDLink) {
        guard link === self.link else { return }
        heard.lastFix = Clock.monotonic()
        link.send("?WATCH={\"enable\":true,\"json\":true};\n")
        awaitFix(patience)
    }

    func link(_ link: GPSDLink, said line: [UInt8]) {
        guard link === self.link, let report = GPSDReport(line) else { return }
        heard.isAnything = true
        handle(report)
    }

    func link(_ link: GPSDLink, endedFor reason: String) {
        guard link === self.link else { return }
        self.link = nil
        let advice = "install it (Debian: gpsd), or start it with “systemctl start gpsd.socket”"
        tell(
            .absent(
                heard.isAnything
                    ? "gpsd at \(address) has gone (\(reason)): \(advice) if it does not come back"
                    : "gpsd does not answer at \(address) (\(reason)): \(advice)"))
        connectLater()
    }
}

extension Duration {
    /// For deadlines of a queue.
    var dispatch: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(min(max(seconds, 0), 1_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
