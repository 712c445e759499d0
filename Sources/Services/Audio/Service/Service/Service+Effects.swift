internal import AudioControls
internal import AudioCore
internal import AudioModel
internal import AudioTranslation
internal import AudioWire
internal import LinuxSystem
internal import Model
internal import PipeWire
internal import ServiceKit
internal import Wire

extension Service {
    func perform(_ effect: AudioEffect) {
        switch effect {
        case .store(let record): write(record)
        case .erase(let key): erase(key)
        case .reply(let request, let reply): answer(request, .success(reply))
        case .refuse(let request, let refusal): answer(request, .failure(refusal))
        case .tell(let connection, let number, let news): tell(connection, number, news)
        case .surround(let connection, let surroundings):
            peers[connection.rawValue]?.send(
                .notification(method: AudioClientMessage.surroundings.rawValue, params: surroundings.json))
        case .hold(let app, let process, let hold, let because): self.hold(app, process, hold, because: because)
        case .drop(let app, let process, let hold, let because): drop(app, process, hold, because: because)
        case .stopped(let order): stops.done(order.rawValue)
        case .wake(let app, let upTo, let because): wake(app, upTo: upTo, because: because)
        case .permit, .setGain, .move, .meter, .setVolume, .setDefault: performOnGraph(effect)
        case .control(let player, let command, let order): control(player, command, order)
        case .publish(let app, let player): publish(app, player)
        case .unpublish(let app): published.removeValue(forKey: app)?.end()
        case .report(let report): note(report.sentence)
        }
    }

    private func tell(_ connection: ConnectionID, _ number: NewsNumber, _ news: AudioNews) {
        let told = AudioTold(seq: number, news: news)
        peers[connection.rawValue]?.request(told.message.rawValue, told.json, number: number) { [weak self] result in
            let status = (try? result.get()).flatMap { try? AudioStatusAnswer(json: $0).status }
            self?.post(.answered(connection, number, status ?? .failed))
        }
    }

    private func performOnGraph(_ effect: AudioEffect) {
        switch effect {
        case .permit(let node, let isPermitted, let order):
            graph.permit(NodeIdentifier(node), isPermitted) { [weak self] _ in self?.post(.permitted(node, order)) }
        case .setGain(let node, let gain, let span):
            graph.setGain(NodeIdentifier(node), gain, over: Int(span.nanoseconds / 1_000_000))
        case .move(let node, let device):
            _ = graph.route(NodeIdentifier(node), to: device.map { NodeIdentifier(serial: $0) })
        case .meter(let node, let span):
            graph.meter(NodeIdentifier(node), milliseconds: Int(span.nanoseconds / 1_000_000)) { [weak self] peak in
                self?.post(.level(node, peak))
            }
        case .setVolume(let volume): graph.setVolume(Float(volume))
        case .setDefault(let device): _ = graph.setDefaultSink(NodeIdentifier(serial: device))
        default: break
        }
    }
}

extension NodeIdentifier {
    init(_ node: NodeID) { self.init(serial: node.rawValue) }
}

extension NodeID {
    init(_ node: NodeIdentifier) { self.init(node.serial) }
}

extension AudioReport {
    fileprivate var sentence: String {
        switch self {
        case .silent(let party, let span):
            "\(party.name) said that it plays, and nothing was to be heard for \(span.nanoseconds / 1_000_000_000) s"
        case .untold(let app, let news): "\(app) was told of something and did not come to it: \(news)"
        case .notWoken(let app, let news): "\(app) cannot be woken for something that it should hear: \(news)"
        case .stubborn(let party): "\(party.name) plays on although it was told to stop"
        }
    }
}

extension PartyID {
    fileprivate var name: String {
        switch self {
        case .app(let app): app.rawValue
        case .outsider(let pid): "the process \(pid)"
        }
    }
}
