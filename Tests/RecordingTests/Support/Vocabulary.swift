import Model
import PolicyCore

/// The tags of events, and of the commands and requests in them.
struct Vocabulary {
    var events: Set<UInt8> = []
    var commands: Set<UInt8> = []
    var requests: Set<UInt8> = []

    mutating func note(_ event: Event) {
        events.formUnion(Self.bytes { event.encode(into: &$0) }.prefix(1))
        switch event {
        case .command(_, let command): commands.formUnion(Self.bytes { command.encode(into: &$0) }.prefix(1))
        case .request(_, _, let request): requests.formUnion(Self.bytes { request.encode(into: &$0) }.prefix(1))
        default: break
        }
    }

    private static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }

    /// Those that a reader takes and today's daemons write.
    static let readable: Vocabulary = {
        var all = Vocabulary()
        all.events = tags("an event") { reader throws(MalformedBytes) in _ = try Event(from: &reader) }
        all.commands = tags("a command") { reader throws(MalformedBytes) in _ = try Command(from: &reader) }
        all.requests = tags("a request") { reader throws(MalformedBytes) in _ = try AppRequest(from: &reader) }
        return all
    }()

    /// A reader says of a tag alone either that it knows none such, or that more has to come.
    private static func tags(_ what: String, _ read: (inout ByteReader) throws(MalformedBytes) -> Void) -> Set<UInt8> {
        Set(
            (UInt8.min...(.max)).filter { tag in
                var reader = ByteReader([tag][...])
                do throws(MalformedBytes) {
                    try read(&reader)
                    return true
                } catch {
                    return error.expected != "\(what), not tag \(tag)"
                }
            })
    }
}
