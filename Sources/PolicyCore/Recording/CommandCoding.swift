package import Model

extension Command {
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .open(let app, let role, let wait):
            writer.write(1, app)
            writer.write(role.rawValue)
            writer.write(wait)
        case .openURL(let url, let wait):
            writer.write(UInt8(2))
            writer.write(url)
            writer.write(wait)
        case .home(let wait): writer.write(3, wait)
        case .lock(let wait): writer.write(4, wait)
        case .unlock(let wait): writer.write(5, wait)
        case .switcher(let isOpen, let wait):
            writer.write(6, wait)
            writer.write(isOpen)
        case .close(let app, let wait):
            writer.write(7, app)
            writer.write(wait)
        case .restart(let app, let wait):
            writer.write(8, app)
            writer.write(wait)
        case .exempt(let app, let isExempt):
            writer.write(9, app)
            writer.write(isExempt)
        case .uninstall(let app): writer.write(10, app)
        case .interrupt(let kind, let wait): writer.write(11, kind, wait)
        case .dismiss(let kind, let wait): writer.write(12, kind, wait)
        case .accept(let kind, let wait): writer.write(13, kind, wait)
        case .endCall(let wait): writer.write(14, wait)
        case .sleep(let wait): writer.write(15, wait)
        case .wake(let wait): writer.write(16, wait)
        case .reboot: writer.write(UInt8(17))
        case .shutDown: writer.write(UInt8(18))
        case .warnMemory: writer.write(UInt8(19))
        case .pressMemory(let level):
            writer.write(UInt8(20))
            writer.write(level.rawValue)
        case .simulate(let condition):
            writer.write(UInt8(34))
            condition.encode(into: &writer)
        case .endSimulation(let kind):
            writer.write(UInt8(35))
            writer.write(kind.rawValue)
        case .changeSetting(let app, let key, let value):
            writer.write(36, app)
            writer.write(key)
            writer.write(value) { $0.write($1) }
        case .simulateFetch(let app, let launches, let wait):
            writer.write(41, app)
            writer.write(launches)
            writer.write(wait)
        case .allowRefresh(let app, let isAllowed):
            writer.write(42, app)
            writer.write(isAllowed)
        case .openScene(let app, let scene, let role, let wait):
            writer.write(43, app)
            writer.write(scene) { $0.write(UInt64($1.rawValue)) }
            writer.write(role.rawValue)
            writer.write(wait)
        case .closeScene(let app, let scene, let wait):
            writer.write(44, app)
            writer.write(UInt64(scene.rawValue))
            writer.write(wait)
        }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let tag = try reader.byte()
        switch tag {
        case 1:
            let app = try reader.app()
            let role = try reader.value(ScreenRole.self)
            self = .open(app, role: role, wait: try reader.bool())
        case 2:
            let url = try reader.string()
            self = .openURL(url, wait: try reader.bool())
        case 3: self = .home(wait: try reader.bool())
        case 4: self = .lock(wait: try reader.bool())
        case 5: self = .unlock(wait: try reader.bool())
        case 6:
            let wait = try reader.bool()
            self = .switcher(isOpen: try reader.bool(), wait: wait)
        case 7, 8, 9:
            let app = try reader.app()
            let flag = try reader.bool()
            self = tag == 7 ? .close(app, wait: flag) : tag == 8 ? .restart(app, wait: flag) : .exempt(app, flag)
        case 10: self = .uninstall(try reader.app())
        case 11, 12, 13:
            let kind = try reader.value(InterruptionKind.self)
            let wait = try reader.bool()
            self =
                tag == 11
                ? .interrupt(kind, wait: wait) : tag == 12 ? .dismiss(kind, wait: wait) : .accept(kind, wait: wait)
        case 14: self = .endCall(wait: try reader.bool())
        case 15: self = .sleep(wait: try reader.bool())
        case 16: self = .wake(wait: try reader.bool())
        case 17: self = .reboot
        case 18: self = .shutDown
        case 19: self = .warnMemory
        case 20: self = .pressMemory(try reader.value(MemoryLevel.self))
        case 34: self = .simulate(try Condition(from: &reader))
        case 35: self = .endSimulation(try reader.value(SystemChange.self))
        case 36:
            let (app, key) = (try reader.app(), try reader.string())
            let value = try reader.optional { reader throws(MalformedBytes) in try reader.string() }
            self = .changeSetting(app, key: key, value: value)
        case 41:
            let (app, launches) = (try reader.app(), try reader.bool())
            self = .simulateFetch(app, launches: launches, wait: try reader.bool())
        case 42:
            let app = try reader.app()
            self = .allowRefresh(app, try reader.bool())
        case 43:
            let app = try reader.app()
            let scene = try reader.optional { reader throws(MalformedBytes) in SceneNumber(try reader.number32()) }
            let role = try reader.value(ScreenRole.self)
            self = .openScene(app, scene, role: role, wait: try reader.bool())
        case 44:
            let (app, scene) = (try reader.app(), SceneNumber(try reader.number32()))
            self = .closeScene(app, scene, wait: try reader.bool())
        default: throw MalformedBytes(offset: reader.offset - 1, expected: "a command, not tag \(tag)")
        }
    }
}

extension AppRequest {
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .openURL(let url):
            writer.write(UInt8(1))
            writer.write(url)
        case .canOpenURL(let url):
            writer.write(UInt8(2))
            writer.write(url)
        case .beginTask(let task, let name):
            writer.write(UInt8(5))
            writer.write(task.rawValue)
            writer.write(name)
        case .endTask(let task):
            writer.write(UInt8(6))
            writer.write(task.rawValue)
        case .backgroundTime: writer.write(UInt8(7))
        case .mechanism(var request):
            writer.write(request.tag)
            request.fields(&writer)
        case .complete(let window, let result):
            writer.write(UInt8(13))
            writer.write(window.rawValue)
            writer.write(result.rawValue)
        case .setFetchInterval(let interval):
            writer.write(UInt8(14))
            writer.write(interval) { $0.write($1.nanoseconds) }
        case .submitTask(let request):
            writer.write(UInt8(15))
            request.encode(into: &writer)
        case .cancelTask(let identifier):
            writer.write(UInt8(16))
            writer.write(identifier) { $0.write($1) }
        case .pendingTasks: writer.write(UInt8(17))
        case .scene(.activate(let scene, let wish)):
            writer.write(UInt8(18))
            writer.write(scene) { $0.write(UInt64($1.rawValue)) }
            writer.write(UInt64(wish))
        case .scene(.destroy(let scene)):
            writer.write(UInt8(19))
            writer.write(UInt64(scene.rawValue))
        case .keepScreenOn(let keeps): writer.write(20, keeps)
        }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let tag = try reader.byte()
        switch tag {
        case 1: self = .openURL(try reader.string())
        case 2: self = .canOpenURL(try reader.string())
        case 5:
            let task = TaskID(try reader.unsigned())
            self = .beginTask(task, name: try reader.string())
        case 6: self = .endTask(TaskID(try reader.unsigned()))
        case 7: self = .backgroundTime
        case 13:
            let window = WindowID(try reader.unsigned())
            self = .complete(window, try reader.value(WindowResult.self))
        case 14:
            self = .setFetchInterval(
                try reader.optional { reader throws(MalformedBytes) in Span(nanoseconds: try reader.signed()) })
        case 15: self = .submitTask(try BackgroundTaskRequest(from: &reader))
        case 16:
            self = .cancelTask(try reader.optional { reader throws(MalformedBytes) in try reader.string() })
        case 17: self = .pendingTasks
        case 18:
            let scene = try reader.optional { reader throws(MalformedBytes) in SceneNumber(try reader.number32()) }
            self = .scene(.activate(scene, wish: try reader.number32()))
        case 19: self = .scene(.destroy(SceneNumber(try reader.number32())))
        case 20: self = .keepScreenOn(try reader.bool())
        default:
            guard var request = MechanismRequest(blank: tag) else {
                throw MalformedBytes(offset: reader.offset - 1, expected: "a request, not tag \(tag)")
            }
            try request.fields(&reader)
            self = .mechanism(request)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ tag: UInt8, _ app: AppIndex) {
        write(tag)
        write(UInt64(app.rawValue))
    }

    fileprivate mutating func write(_ tag: UInt8, _ flag: Bool) {
        write(tag)
        write(flag)
    }

    fileprivate mutating func write(_ tag: UInt8, _ kind: InterruptionKind, _ wait: Bool) {
        write(tag)
        write(kind.rawValue)
        write(wait)
    }
}
