internal import Dispatch
internal import LinuxSystem
internal import Model
internal import TransferCore

/// What the machine says of its network and its power, as files: each answer is what is so at that moment.
struct SurroundingsSource: Sendable {
    /// Tests have folders of their own.
    var sys = CurrentProcess.environment("GREENROOM_TRANSFERS_SYS") ?? "/sys"
    var proc = CurrentProcess.environment("GREENROOM_TRANSFERS_PROC") ?? "/proc"

    func read() -> TransferConditions {
        let network = network()
        let (hasPower, battery) = power()
        return TransferConditions(
            network: network, isMetered: network == .cellular, hasExternalPower: hasPower, battery: battery,
            // What is always on needs no waking.
            isRadioWarm: network != .cellular)
    }

    private func text(_ path: String) -> String? {
        FileSystem.read(path, limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    private func word(_ path: String) -> String? {
        text(path)?.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    private func network() -> NetworkKind {
        switch DefaultLink(sys: sys, proc: proc).kind {
        case nil: .none
        case .wireless?: .wifi
        case .modem?: .cellular
        case .wired?: .wired
        }
    }

    /// Whether the machine hangs on a wire, and its battery in thousandths. A machine without a battery hangs on one.
    private func power() -> (Bool, Int32?) {
        let folder = "\(sys)/class/power_supply"
        var battery: Int32?
        var isCharging = false
        var isOnline = false
        for name in FileSystem.names(in: folder) {
            let supply = "\(folder)/\(name)"
            // Of a mouse or a phone beside it.
            guard word("\(supply)/scope") != "Device" else { continue }
            switch word("\(supply)/type") {
            case "Battery":
                guard let percent = word("\(supply)/capacity").flatMap({ Int32($0) }) else { continue }
                battery = battery ?? min(max(percent, 0), 100) * 10
                isCharging = isCharging || ["Charging", "Full", "Not"].contains(word("\(supply)/status") ?? "")
            case "Mains", "USB", "Wireless": isOnline = isOnline || word("\(supply)/online") == "1"
            default: continue
            }
        }
        return (battery == nil || isCharging || isOnline, battery)
    }
}

/// Tells of the machine's network and power whenever they change. The kernel's news are a reason to look; nothing is
/// polled.
///
/// Unchecked: used on the service's queue only.
final class Surroundings: @unchecked Sendable {
    private let queue: DispatchQueue
    private let source = SurroundingsSource()
    private let onChange: (TransferConditions) -> Void
    private let links = try? Netlink(.network)
    private let devices = try? Netlink(.devices)
    private var watches: [any DispatchSourceRead] = []
    private var isDue = false
    private var last: TransferConditions?

    /// Links come and go by the dozen: they are looked at together.
    private static let pause = DispatchTimeInterval.milliseconds(200)

    /// Calls on the queue, at once and at every change.
    init(on queue: DispatchQueue, _ onChange: @escaping (TransferConditions) -> Void) {
        self.queue = queue
        self.onChange = onChange
        look()
        watch(links) { _ in true }
        watch(devices) { messages in
            messages.contains { message in Netlink.subsystem(message).map { $0 == "power_supply" } ?? true }
        }
    }

    deinit { for watch in watches { watch.cancel() } }

    private func watch(_ netlink: Netlink?, _ isReason: @escaping ([[UInt8]]) -> Bool) {
        guard let netlink else { return }
        let watch = DispatchSource.makeReadSource(fileDescriptor: netlink.descriptor.rawValue, queue: queue)
        watch.setEventHandler { [weak self] in
            let messages = netlink.read()
            if !messages.isEmpty, isReason(messages) { self?.lookSoon() }
        }
        watch.setCancelHandler { withExtendedLifetime(netlink) {} }
        watch.resume()
        watches.append(watch)
    }

    private func lookSoon() {
        guard !isDue else { return }
        isDue = true
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            self?.isDue = false
            self?.look()
        }
    }

    private func look() {
        let now = source.read()
        guard now != last else { return }
        last = now
        onChange(now)
    }
}
