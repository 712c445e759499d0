internal import AudioCore
internal import AudioModel
internal import AudioWire
internal import Model
internal import PipeWire
internal import ServiceCore
internal import ServiceKit
internal import Wire

// The sound server.
extension AudioWorld: AudioGraphClient {
    func audioGraphConnected() {
        post(.graphAttached)
        portsChanged()
    }

    func audioGraphLost() {
        streams = [:]
        post(.graphDetached)
    }

    func audioGraph(appeared stream: GraphStream) {
        let node = NodeID(stream.id)
        streams[node] = stream
        // One that nobody owns up to is nobody's.
        guard let pid = stream.pid else { return appeared(stream, .outsider(pid: 0)) }
        whose(pid) { [weak self] answer in
            guard let self, let now = streams[node] else { return }
            switch answer {
            case .app(let app):
                started(app.description)
                appeared(now, .app(app.description.app))
            case .outsider: appeared(now, .outsider(pid: pid))
            }
        }
    }

    private func appeared(_ stream: GraphStream, _ owner: PartyID) {
        post(
            .nodeAppeared(
                NodeID(stream.id),
                NodeDescription(
                    owner: owner, name: stream.applicationName ?? stream.mediaName ?? "a program",
                    direction: stream.direction == .playback ? .output : .input,
                    stream: stream.tag.flatMap { Int64($0) }, role: NodeRole(stream.mediaRole),
                    isRunning: stream.state == .running)))
    }

    func audioGraph(changed stream: GraphStream) {
        let node = NodeID(stream.id)
        let before = streams[node]?.state
        streams[node] = stream
        if before != stream.state { post(.nodeRuns(node, stream.state == .running)) }
    }

    func audioGraph(goneStream id: NodeIdentifier) {
        let node = NodeID(id)
        let pid = streams.removeValue(forKey: node)?.pid
        post(.nodeGone(node))
        if let pid, !streams.values.contains(where: { $0.pid == pid }) { owners.forget(pid) }
    }

    func audioGraph(appeared device: AudioDevice) { portsChanged() }
    func audioGraph(changed device: AudioDevice) { portsChanged() }
    func audioGraph(goneDevice id: NodeIdentifier) { portsChanged() }
    func audioGraph(defaults: DefaultDevices) { portsChanged() }

    func audioGraph(volume: SinkVolume?) {
        if let volume { post(.volume(volume.isMuted ? 0 : Double(volume.volume))) }
    }

    private func portsChanged() {
        guard graph.isConnected else { return }
        let ports = graph.allDevices.map { device in
            DevicePort(
                device: device.id.serial, AudioPort(AudioPortKind(device), name: device.description),
                isDefault: device.id == graph.defaults.sink || device.id == graph.defaults.source)
        }
        post(.ports(ports))
    }

    /// A program that does not speak to the service itself.
    func started(_ program: AppDescription) { host?.assumeIsolated { $0.post(.programStarted(program)) } }

    // MARK: Whose it is

    func whose(_ pid: Int32, _ body: @escaping (Owners.Answer) -> Void) {
        if let answer = owners.answer(pid) { return body(answer) }
        if owners.wait(for: pid, body) { ask(pid) }
    }

    /// What the daemon before did not answer.
    func askAgain() {
        for pid in owners.unanswered { ask(pid) }
    }

    private func ask(_ pid: Int32) {
        host?.assumeIsolated { $0.broker }?.request(.whose, ["pid": .int(Int64(pid))]) { [weak self] result in
            guard let self else { return }
            let answer = (try? result.get()).flatMap(Self.owner) ?? .outsider
            for body in owners.learn(pid, answer) { body(answer) }
        }
    }

    private static func owner(_ params: JSONValue) -> Owners.Answer? {
        guard let name = try? params.optionalString("app"), let app = AppIdentifier(name),
            let process = try? params.integer("process")
        else { return nil }
        let modes = (try? params.strings("modes")) ?? []
        return .app(
            Owners.App(
                description: AppDescription(
                    app, process: process, name: (try? params.string("name")) ?? name, hasKey: modes.contains("audio")))
        )
    }
}

extension NodeRole {
    fileprivate init(_ role: String?) {
        self =
            switch role {
            case nil, "Music": .music
            case "Movie": .movie
            case "Game": .game
            case "Communication", "Phone": .communication
            case "Navigation": .navigation
            case "Notification", "Alert", "Alarm", "Event", "Emergency": .notification
            case "Assistant", "Accessibility": .assistant
            default: .other
            }
    }
}

extension AudioPortKind {
    init(_ device: AudioDevice) {
        guard device.direction == .sink else {
            self = device.formFactor == "headset" ? .headsetMicrophone : .microphone
            return
        }
        if device.isBluetooth {
            self = .bluetooth
            return
        }
        switch device.formFactor {
        case "handset": self = .receiver
        case "headphone", "headset": self = .headphones
        default:
            if device.name.contains("hdmi") {
                self = .hdmi
            } else if device.bus == "usb" {
                self = .usb
            } else {
                self = .speaker
            }
        }
    }
}
