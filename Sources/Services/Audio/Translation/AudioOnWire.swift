package import AudioCore
package import AudioModel
internal import AudioWire
package import ServiceCore
package import ServiceWire
package import Wire

/// The words of the audio service on the wire (docs/AUDIO.md).
package enum AudioOnWire: WireTranslation {
    package typealias Words = AudioWords

    package static let version = audioProtocolVersion

    package static func request(_ name: String, _ params: JSONValue) throws(RPCError) -> AudioRequest {
        guard let method = AudioClientMethod(rawValue: name) else { throw .methodNotFound(name) }
        return try AudioRequest(method, params)
    }

    package static func message(for news: AudioNews, _ number: NewsNumber) -> WireMessage {
        let told = AudioTold(seq: number, news: news)
        return WireMessage(told.message.rawValue, told.json)
    }

    package static func message(for notice: AudioSurroundings) -> WireMessage {
        WireMessage(AudioClientMessage.surroundings.rawValue, notice.json)
    }

    /// An app that says nothing else has failed.
    package static func answer(
        _ result: Result<JSONValue, RPCError>, to news: AudioNews?
    ) -> AudioCommandStatus? {
        guard case .success(let json) = result else { return .failed }
        do throws(RPCError) {
            return try AudioStatusAnswer(json: json).status
        } catch {
            return .failed
        }
    }

    package static func result(of reply: AudioReply) -> JSONValue { reply.json }
    package static func error(of refusal: AudioRefusal) -> RPCError { RPCError(refusal) }

    package static func inquiry(_ name: String, _ params: JSONValue) throws(RPCError) -> Never {
        throw .methodNotFound(name)
    }

    package static func message(for question: Never) -> WireMessage {}
}
