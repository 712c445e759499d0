package import Model

// The stable form of what events and effects say of windows; see `EventCoding.swift` and `EffectCoding.swift`.
extension BackgroundTaskRequest {
    package func encode(into writer: inout ByteWriter) {
        writer.write(identifier)
        writer.write(kind.rawValue)
        writer.write(earliest) { $0.write($1.nanoseconds) }
        writer.write(needsNetwork)
        writer.write(needsPower)
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let (identifier, kind) = (try reader.string(), try reader.value(Kind.self))
        let earliest = try reader.optional { reader throws(MalformedBytes) in
            WallTime(nanoseconds: try reader.signed())
        }
        let needsNetwork = try reader.bool()
        self.init(
            identifier: identifier, kind: kind, earliest: earliest, needsNetwork: needsNetwork,
            needsPower: try reader.bool())
    }
}

extension FieldSink {
    mutating func write(_ kind: WindowKind) {
        write(kind.service.rawValue)
        switch kind {
        case .fetch: break
        case .sessionEvents(let session, let authentication):
            write(session)
            write(authentication)
        case .refresh(let identifier), .processing(let identifier): write(identifier)
        case .service(let wake):
            write(wake.service)
            write(wake.window)
            write(wake.payload)
            write(wake.sentence)
            write(wake.time.nanoseconds)
        }
    }

    mutating func write(_ window: OpenWindow?) {
        write(window != nil)
        guard let window else { return }
        write(window.id.rawValue)
        write(window.kind)
    }

    private mutating func write(_ moment: WallTime?) {
        write(moment != nil)
        if let moment { write(moment.nanoseconds) }
    }

    private mutating func write(_ request: BackgroundTaskRequest) {
        write(request.identifier)
        write(request.kind.rawValue)
        write(request.earliest)
        write(request.needsNetwork)
        write(request.needsPower)
    }

    mutating func write(_ requests: [BackgroundTaskRequest]) {
        write(UInt64(requests.count))
        for request in requests { write(request) }
    }

    mutating func write(_ refusal: BackgroundTaskRefusal) {
        switch refusal {
        case .notPermitted(let identifier):
            write(UInt8(1))
            write(identifier)
        case .missingMode(let key):
            write(UInt8(2))
            write(key)
        case .tooMany(let kind, let limit):
            write(UInt8(3))
            write(kind.rawValue)
            write(Int64(limit))
        case .unavailable(let profile):
            write(UInt8(4))
            write(profile)
        case .refreshIsOff: write(UInt8(5))
        }
    }

    mutating func write(_ obstacle: WakeObstacle) {
        switch obstacle {
        case .noMultitasking(let profile):
            write(UInt8(1))
            write(profile)
        case .missingMode(let key):
            write(UInt8(2))
            write(key)
        case .neverAsked: write(UInt8(3))
        case .refreshIsOff: write(UInt8(4))
        case .closedByUser: write(UInt8(5))
        case .onScreen: write(UInt8(6))
        case .beingEnded: write(UInt8(7))
        case .underWay: write(UInt8(8))
        case .shuttingDown: write(UInt8(9))
        case .noNetwork: write(UInt8(10))
        case .batteryLow(let percent, let least):
            write(UInt8(11))
            write(Int64(percent))
            write(Int64(least))
        case .noPower: write(UInt8(12))
        case .plainProgram: write(UInt8(14))
        case .tooEarly(let until, let because):
            write(UInt8(13))
            write(until)
            write(because)
        case .hasTasks: write(UInt8(17))
        case .tooSoon(let until, let pause):
            write(UInt8(15))
            write(until.nanoseconds)
            write(pause.nanoseconds)
        case .usedUp(let until, let daily):
            write(UInt8(16))
            write(until.nanoseconds)
            write(Int64(daily))
        case .lowPower: write(UInt8(32))
        case .tooWarm(let state):
            write(UInt8(33))
            write(state.rawValue)
        }
    }

    /// Reasons 76 to 87.
    mutating func writeWindow(_ reason: Reason) {
        switch reason {
        case .woken(let kind, let because):
            write(UInt8(76))
            write(kind)
            write(because)
        case .usesWindow(let kind, let limit):
            write(UInt8(77))
            write(kind)
            write(limit.nanoseconds)
        case .windowCompleted(let kind, let result):
            write(UInt8(78))
            write(kind)
            write(result.rawValue)
        case .windowExpires(let kind, let left):
            write(UInt8(79))
            write(kind)
            write(left.nanoseconds)
        case .windowOverrun(let kind, let allowed):
            write(UInt8(80))
            write(kind)
            write(allowed.nanoseconds)
        case .notWoken(let kind, let obstacle):
            write(UInt8(81))
            write(kind)
            write(obstacle)
        case .taskSubmitted(let request):
            write(UInt8(82))
            write(request)
        case .taskCancelled(let identifier):
            write(UInt8(83))
            write(identifier)
        case .taskRequestRefused(let refusal):
            write(UInt8(84))
            write(refusal)
        case .refreshAllowed(let name, let isAllowed):
            write(UInt8(85))
            write(name)
            write(isAllowed)
        case .omitsEntries(let limit, let span):
            write(UInt8(86))
            write(Int64(limit))
            write(span.nanoseconds)
        case .omittedEntries(let count):
            write(UInt8(87))
            write(Int64(count))
        default: break
        }
    }
}
