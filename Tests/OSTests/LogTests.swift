import GreenroomOS
import Logging
import Synchronization
import Testing

/// Keeps what is logged, by label.
private struct Keeper: LogHandler {
    static let lines = Mutex<[String: [String]]>([:])

    var label: String
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel: Logging.Logger.Level = .trace

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lines.withLock { $0[label, default: []].append("\(event.level) \(event.message)") }
    }

    static let isInstalled: Bool = {
        LoggingSystem.bootstrap { Keeper(label: $0) }
        return true
    }()

    static func of(_ label: String) -> [String] { lines.withLock { $0[label] ?? [] } }
}

@Suite("The log")
struct LogTests {
    init() { #expect(Keeper.isInstalled) }

    @Test("A logger writes under its subsystem and category, each message at its level")
    func levels() {
        let logger = GreenroomOS.Logger(subsystem: "org.example", category: "levels")
        logger.trace("a")
        logger.debug("b")
        logger.info("c")
        logger.notice("d")
        logger.log("e")
        logger.warning("f")
        logger.error("g")
        logger.critical("h")
        logger.fault("i")
        logger.log(level: .error, "j")
        #expect(
            Keeper.of("org.example/levels") == [
                "trace a", "debug b", "info c", "notice d", "notice e", "warning f", "error g", "critical h",
                "critical i", "error j",
            ])
    }

    @Test("A message has its values, and hides those that are private")
    func messages() {
        let logger = GreenroomOS.Logger(subsystem: "org.example", category: "messages")
        let nothing: Int? = nil
        logger.info(
            "\(1) \("two", privacy: .public) \("three", privacy: .private) \(nothing) \(2.5, format: .fixed(precision: 2))"
        )
        logger.info("\(255, format: .hex) [\("x", align: .right(columns: 3))] \(Optional(4))")
        logger.info("\("same", privacy: .private(mask: .hash))")
        logger.info("\("same", privacy: .private(mask: .hash))")
        let lines = Keeper.of("org.example/messages")
        #expect(lines.prefix(2) == ["info 1 two <private> nil 2.50", "info ff [  x] 4"])
        #expect(lines[2] == lines[3] && !lines[2].contains("same"))
    }

    @Test(
        "os_log takes C's format and Apple's additions",
        arguments: [
            (0, "plain"), (1, "%d 5"), (2, "a 7 <private> 2.50"), (3, "100%"), (4, "ff <missing argument>"),
        ])
    func formats(number: Int, expected: String) {
        let category = "formats\(number)"
        let log = OSLog(subsystem: "org.example", category: category)
        switch number {
        case 0: os_log("plain", log: log, type: .error)
        case 1: os_log("%%d %d", log: log, type: .error, 5)
        case 2:
            os_log("%{public}@ %ld %{private}@ %.2f", log: log, type: .error, "a" as any CVarArg & Sendable, 7, 8, 2.5)
        case 3: os_log(.error, log: log, "100%%")
        default: os_log(.error, log: log, "%x %d", 255)
        }
        #expect(Keeper.of("org.example/\(category)") == ["error \(expected)"])
    }

    @Test("A disabled log keeps nothing, and does not even put the message together")
    func disabled() {
        GreenroomOS.Logger(OSLog.disabled).error("nothing")
        #expect(!OSLog.disabled.isEnabled(type: .fault))
        #expect(OSLog(subsystem: "a", category: "b").isEnabled(type: .debug))
    }

    @Test("Signposts mark begins, ends and moments")
    func signposts() {
        let signposter = OSSignposter(subsystem: "org.example", category: "signposts")
        let state = signposter.beginInterval("load", id: .exclusive, "\(3) files")
        signposter.emitEvent("half")
        signposter.endInterval("load", state)
        #expect(signposter.withIntervalSignpost("work") { 7 } == 7)
        #expect(signposter.makeSignpostID() != signposter.makeSignpostID())
        #expect(
            Keeper.of("org.example/signposts") == [
                "debug signpost begin load: 3 files", "debug signpost event half", "debug signpost end load",
                "debug signpost begin work", "debug signpost end work",
            ])
    }

    @Test("A lock lets one thread at a time have its value")
    func locks() async {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<2000 { lock.withLock { $0 += 1 } } }
            }
        }
        #expect(lock.withLock { $0 } == 16_000)
        let plain = OSAllocatedUnfairLock()
        plain.lock()
        #expect(!plain.lockIfAvailable())
        plain.unlock()
        #expect(plain.withLock { true })
        #expect(plain.withLockUnchecked { plain.withLockIfAvailable { true } } == nil)
        #expect(plain.withLockIfAvailable { true } == true)
        var c = os_unfair_lock()
        unsafe os_unfair_lock_lock(&c)
        #expect(unsafe !os_unfair_lock_trylock(&c))
        unsafe os_unfair_lock_unlock(&c)
    }
}
