internal import Model

// Reasons that tell of sockets, in the stable form of effects (`EffectCoding.swift`).
extension FieldSink {
    mutating func writeSockets(_ reason: Reason) {
        switch reason {
        case .cannotAnswer(let listeners, let count):
            write(UInt8(44))
            write(UInt64(listeners.count))
            for listener in listeners {
                write(listener.name)
                write(Int64(listener.peers))
            }
            write(Int64(count))
        case .doesNotAnswer(let span):
            write(UInt8(45))
            write(span.nanoseconds)
        case .peerConnected(let name):
            write(UInt8(46))
            write(name)
        case .answersPeers(let grace):
            write(UInt8(47))
            write(grace.nanoseconds)
        case .peersRefused(let name, let count):
            write(UInt8(48))
            write(name)
            write(Int64(count))
        case .connectionsClosed(let count, let span):
            write(UInt8(49))
            write(Int64(count))
            write(span.nanoseconds)
        case .methodCalled(let method):
            write(UInt8(113))
            write(method)
        case .answersCall(let grace, let limit):
            write(UInt8(114))
            write(grace.nanoseconds)
            write(limit.nanoseconds)
        case .readsNoCalls(let span):
            write(UInt8(115))
            write(span.nanoseconds)
        default: break
        }
    }
}
