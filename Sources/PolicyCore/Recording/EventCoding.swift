package import Model

// The compact form of events in a recording: a tag, then the payload. Tags are never given to another case; a new case
// gets a new tag.
extension Event {
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .clockChanged(let offset):
            writer.write(UInt8(1))
            writer.write(offset)
        case .booted: writer.write(UInt8(2))
        case .adopted(let found):
            writer.write(UInt8(3))
            writer.write(found) { $0.write($1) }
        case .installed(let manifest):
            writer.write(installed: manifest)
        case .command(let id, let command):
            writer.write(UInt8(5))
            writer.write(id.rawValue)
            command.encode(into: &writer)
        case .processStarted(let app, let generation, let pid):
            writer.write(6, app, generation)
            writer.write(Int64(pid))
        case .launchFailed(let app, let generation, let failure):
            writer.write(7, app, generation)
            writer.write(failure.stage)
            writer.write(Int64(failure.errorNumber))
            writer.write(failure.message)
        case .connected(let app, let generation, let executed):
            writer.write(8, app, generation)
            writer.write(executed) { $0.write($1.rawValue) }
        case .disconnected(let app, let generation): writer.write(9, app, generation)
        case .callbackReturned(let app, let generation, let number):
            writer.write(10, app, generation)
            writer.write(number.rawValue)
        case .mainThreadAnswered(let app, let generation): writer.write(11, app, generation)
        case .firstProcessEnded(let app, let generation, let status):
            writer.write(12, app, generation)
            writer.write(status)
        case .allProcessesEnded(let app, let generation): writer.write(13, app, generation)
        case .processesCounted(let app, let generation, let count):
            writer.write(14, app, generation)
            writer.write(Int64(count))
        case .tracerChecked(let app, let generation, let isTraced):
            writer.write(15, app, generation)
            writer.write(isTraced)
        case .prepared(let app, let generation): writer.write(16, app, generation)
        case .frozen(let app, let generation): writer.write(17, app, generation)
        case .verified(let app, let generation): writer.write(18, app, generation)
        case .request(let app, let id, let request):
            writer.write(UInt8(19))
            writer.write(UInt64(app.rawValue))
            writer.write(id.rawValue)
            request.encode(into: &writer)
        case .timer: writer.write(UInt8(20))
        case .retired(let event): event.encode(into: &writer)
        case .sessionEvents, .wishesRestored, .habitsRestored: encodeWaking(into: &writer)
        case .conditionSensed(let condition):
            writer.write(UInt8(34))
            condition.encode(into: &writer)
        case .mechanism(let incarnation, var event):
            writer.write(event.tag, incarnation.app, incarnation.generation)
            event.fields(&writer)
        case .service(var event):
            writer.write(event.tag.rawValue)
            event.fields(&writer)
        case .trafficSeen, .trafficCounted: encodeTraffic(into: &writer)
        case .memoryConfigured, .memorySensed, .endedForMemory, .footprintSampled: encodeMemory(into: &writer)
        case .reclaimed, .mappingsCounted, .purgeableCounted: encodeMemory(into: &writer)
        case .room(var event):
            writer.write(event.tag.rawValue)
            event.fields(&writer)
        }
    }

    private func encodeWaking(into writer: inout ByteWriter) {
        switch self {
        case .sessionEvents(let app, let session, let authentication):
            writer.write(UInt8(32))
            writer.write(UInt64(app.rawValue))
            writer.write(session)
            writer.write(authentication)
        case .wishesRestored(let app, let wishes):
            writer.write(UInt8(wishes.hasScenes ? 89 : 33))
            writer.write(UInt64(app.rawValue))
            writer.write(wishes.interval) { $0.write($1.nanoseconds) }
            writer.write(wishes.tasks) { $1.encode(into: &$0) }
            guard wishes.hasScenes else { return }
            writer.write(wishes.scenes) { $0.write(UInt64($1.rawValue)) }
            writer.write(wishes.closedScenes) { $0.write(UInt64($1.rawValue)) }
        case .habitsRestored(let memory):
            writer.write(UInt8(memory.hasBytes ? 73 : 41))
            memory.encode(into: &writer)
            if memory.hasBytes { memory.encodeBytes(into: &writer) }
        default: break
        }
    }

    private func encodeMemory(into writer: inout ByteWriter) {
        switch self {
        case .memoryConfigured(let budget, let source):
            writer.write(UInt8(source == .budget ? 21 : 27))
            writer.write(budget)
        case .memorySensed(let available):
            writer.write(UInt8(22))
            writer.write(available)
        case .endedForMemory(let ended, let available):
            writer.write(UInt8(26))
            writer.write(UInt64(ended.count))
            for one in ended {
                writer.write(UInt64(one.app.rawValue))
                writer.write(UInt64(one.generation.rawValue))
            }
            writer.write(available)
        case .footprintSampled(let app, let generation, let footprint):
            writer.write(23, app, generation)
            writer.write(footprint)
        case .reclaimed(let app, let generation, let footprint):
            writer.write(24, app, generation)
            writer.write(footprint)
        case .mappingsCounted(let app, let generation, let count, let largest):
            writer.write(25, app, generation)
            writer.write(Int64(count))
            writer.write(largest)
        case .purgeableCounted(let app, let generation, let count):
            writer.write(82, app, generation)
            writer.write(Int64(count))
        default: break
        }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        if let retired = RetiredEvent(from: &reader) {
            self = .retired(retired)
            return
        }
        let tag = try reader.byte()
        if let service = ServiceEvent.Tag(rawValue: tag) {
            var event = ServiceEvent(blank: service)
            try event.fields(&reader)
            self = .service(event)
            return
        }
        if let disk = DiskEvent.Tag(rawValue: tag) {
            var event = DiskEvent(blank: disk)
            try event.fields(&reader)
            self = .room(event)
            return
        }
        switch tag {
        case 1: self = .clockChanged(wallOffset: try reader.signed())
        case 2: self = .booted
        case 3: self = .adopted(try reader.array { reader throws(MalformedBytes) in try reader.adoptedApp() })
        case 4: self = .installed(try reader.manifest())
        case 31, 88, 98: self = .installed(try reader.manifest(tag))
        case 33, 89:
            let app = try reader.app()
            let interval = try reader.optional { reader throws(MalformedBytes) in
                Span(nanoseconds: try reader.signed())
            }
            let tasks = try reader.array { reader throws(MalformedBytes) in
                try BackgroundTaskRequest(from: &reader)
            }
            var wishes = WakeWishes(interval: interval, tasks: tasks)
            if tag == 89 {
                wishes.scenes = try reader.scenes()
                wishes.closedScenes = try reader.scenes()
                guard wishes.hasScenes else {
                    throw MalformedBytes(offset: reader.offset - 1, expected: "scenes to restore")
                }
            }
            self = .wishesRestored(app, wishes)
        case 41: self = .habitsRestored(try FetchMemory(from: &reader))
        case 32:
            let (app, session) = (try reader.app(), try reader.string())
            self = .sessionEvents(app, session: session, authentication: try reader.bool())
        case 5:
            let id = CommandID(try reader.unsigned())
            self = .command(id, try Command(from: &reader))
        case 19:
            let app = try reader.app()
            let id = RequestID(try reader.unsigned())
            self = .request(app, id, try AppRequest(from: &reader))
        case 20: self = .timer
        case 21: self = .memoryConfigured(budget: try reader.signed())
        case 27: self = .memoryConfigured(budget: try reader.signed(), source: .machine)
        case 22: self = .memorySensed(available: try reader.signed())
        case 34: self = .conditionSensed(try Condition(from: &reader))
        case 56: self = try Self.traffic(from: &reader)
        case 72, 90: self = try Self.countedTraffic(from: &reader, hasProcessor: tag == 90)
        case 73: self = .habitsRestored(try FetchMemory(withBytes: &reader))
        case 26:
            let ended = try reader.array { reader throws(MalformedBytes) in
                Incarnation(try reader.app(), Generation(try reader.number32()))
            }
            self = .endedForMemory(ended, available: try reader.signed())
        default: self = try Self.processEvent(tag, from: &reader)
        }
    }

    private static func processEvent(_ tag: UInt8, from reader: inout ByteReader) throws(MalformedBytes) -> Event {
        var mechanism = MechanismEvent(blank: tag)
        guard mechanism != nil || (6...18).contains(tag) || (23...25).contains(tag) || tag == 82 else {
            throw MalformedBytes(offset: reader.offset - 1, expected: "an event, not tag \(tag)")
        }
        let app = try reader.app()
        let generation = Generation(try reader.number32())
        try mechanism?.fields(&reader)
        if let mechanism { return .mechanism(Incarnation(app, generation), mechanism) }
        switch tag {
        case 6: return .processStarted(app, generation, pid: try reader.signed32())
        case 7:
            let stage = try reader.string()
            let number = try reader.signed32()
            let failure = LaunchFailure(stage: stage, errorNumber: number, message: try reader.string())
            return .launchFailed(app, generation, failure)
        case 8:
            let executed = try reader.optional { reader throws(MalformedBytes) in
                CallbackNumber(try reader.unsigned())
            }
            return .connected(app, generation, executed: executed)
        case 9: return .disconnected(app, generation)
        case 10: return .callbackReturned(app, generation, CallbackNumber(try reader.unsigned()))
        case 11: return .mainThreadAnswered(app, generation)
        case 12: return .firstProcessEnded(app, generation, try reader.exitStatus())
        case 13: return .allProcessesEnded(app, generation)
        case 14: return .processesCounted(app, generation, try reader.signed32())
        case 15: return .tracerChecked(app, generation, isTraced: try reader.bool())
        case 16: return .prepared(app, generation)
        case 17: return .frozen(app, generation)
        case 23: return .footprintSampled(app, generation, try reader.footprint())
        case 24: return .reclaimed(app, generation, try reader.footprint())
        case 25:
            let count = try reader.signed32()
            return .mappingsCounted(app, generation, count, largest: try reader.signed())
        case 82: return .purgeableCounted(app, generation, try reader.signed32())
        default: return .verified(app, generation)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ tag: UInt8, _ app: AppIndex, _ generation: Generation) {
        write(tag)
        write(UInt64(app.rawValue))
        write(UInt64(generation.rawValue))
    }

    fileprivate mutating func write(_ status: ExitStatus) {
        switch status {
        case .exited(let code):
            write(UInt8(0))
            write(Int64(code))
        case .signaled(let signal):
            write(UInt8(1))
            write(Int64(signal))
        case .unknown: write(UInt8(2))
        case .outOfMemory: write(UInt8(3))
        }
    }

    fileprivate mutating func write(_ footprint: Footprint) {
        write(footprint.dirty)
        write(footprint.purgeable)
        write(footprint.clean)
    }

    fileprivate mutating func write(_ found: AdoptedApp) {
        write(UInt64(found.app.rawValue))
        write(found.pid) { $0.write(Int64($1)) }
        write(found.isFrozen)
        write(found.status) { $0.write($1) }
    }

    fileprivate mutating func write(installed manifest: AppManifest) {
        let hasLimit = manifest.connectionLimit != nil
        let hasScenes = hasLimit || manifest.scenes != .none
        write(UInt8(hasLimit ? 98 : hasScenes ? 88 : manifest.taskIdentifiers.isEmpty ? 4 : 31))
        write(manifest)
        if hasScenes || !manifest.taskIdentifiers.isEmpty { write(manifest.taskIdentifiers) { $0.write($1) } }
        if hasScenes { write(manifest.scenes.rawValue) }
        if let limit = manifest.connectionLimit { write(limit.nanoseconds) }
    }

    private mutating func write(_ modes: BackgroundModes) {
        write(modes.mask)
        if !modes.otherKeys.isEmpty { write(modes.otherKeys) { $0.write($1) } }
    }

    private mutating func write(_ manifest: AppManifest) {
        write(manifest.identifier.rawValue)
        write(manifest.name)
        write(manifest.kind.rawValue)
        write(manifest.backgroundModes)
        write(manifest.exitsOnSuspend)
        write(manifest.urlSchemes) { $0.write($1) }
        write(manifest.isFreezable)
    }
}

extension ByteReader {
    mutating func number32() throws(MalformedBytes) -> UInt32 {
        guard let value = UInt32(exactly: try unsigned()) else {
            throw MalformedBytes(offset: offset, expected: "a smaller number")
        }
        return value
    }

    fileprivate mutating func signed32() throws(MalformedBytes) -> Int32 {
        guard let value = Int32(exactly: try signed()) else {
            throw MalformedBytes(offset: offset, expected: "a smaller number")
        }
        return value
    }

    mutating func app() throws(MalformedBytes) -> AppIndex { AppIndex(try number32()) }

    fileprivate mutating func scenes() throws(MalformedBytes) -> [SceneNumber] {
        try array { reader throws(MalformedBytes) in SceneNumber(try reader.number32()) }
    }

    fileprivate mutating func exitStatus() throws(MalformedBytes) -> ExitStatus {
        switch try byte() {
        case 0: return .exited(try signed32())
        case 1: return .signaled(try signed32())
        case 2: return .unknown
        case 3: return .outOfMemory
        default: throw MalformedBytes(offset: offset - 1, expected: "an exit status")
        }
    }

    fileprivate mutating func footprint() throws(MalformedBytes) -> Footprint {
        let (dirty, purgeable) = (try signed(), try signed())
        return Footprint(dirty: dirty, purgeable: purgeable, clean: try signed())
    }

    fileprivate mutating func adoptedApp() throws(MalformedBytes) -> AdoptedApp {
        let app = try app()
        let pid = try optional { reader throws(MalformedBytes) in try reader.signed32() }
        let isFrozen = try bool()
        let status = try optional { reader throws(MalformedBytes) in try reader.exitStatus() }
        return AdoptedApp(app: app, pid: pid, isFrozen: isFrozen, status: status)
    }

    /// One with tasks, with scenes and perhaps tasks, or with a limit and perhaps both.
    fileprivate mutating func manifest(_ tag: UInt8) throws(MalformedBytes) -> AppManifest {
        var manifest = try manifest()
        manifest.taskIdentifiers = try array { reader throws(MalformedBytes) in try reader.string() }
        if tag != 31 { manifest.scenes = try value(SceneSupport.self) }
        if tag == 98 {
            manifest.connectionLimit = Span(nanoseconds: try signed())
            return manifest
        }
        guard tag == 88 ? manifest.scenes != .none : !manifest.taskIdentifiers.isEmpty else {
            throw MalformedBytes(offset: offset, expected: tag == 88 ? "an app with scenes" : "identifiers of tasks")
        }
        return manifest
    }

    private mutating func backgroundModes() throws(MalformedBytes) -> BackgroundModes {
        let mask = try byte()
        let others =
            BackgroundModes.hasOthers(mask: mask)
            ? try array { reader throws(MalformedBytes) in try reader.string() } : []
        guard let modes = BackgroundModes(mask: mask, otherKeys: others) else {
            throw MalformedBytes(offset: offset, expected: "background modes")
        }
        return modes
    }

    fileprivate mutating func manifest() throws(MalformedBytes) -> AppManifest {
        guard let identifier = AppIdentifier(try string()) else {
            throw MalformedBytes(offset: offset, expected: "an app's identifier")
        }
        let name = try string()
        let kind = try value(AppKind.self)
        let modes = try backgroundModes()
        let exits = try bool()
        let schemes = try array { reader throws(MalformedBytes) in try reader.string() }
        return AppManifest(
            identifier: identifier, name: name, kind: kind, backgroundModes: modes, exitsOnSuspend: exits,
            urlSchemes: schemes, isFreezable: try bool())
    }
}
