import ContractSuite
import Glibc
import LinuxSystem
import Testing
import Wire

/// Misbehaver as an app that takes memory; `Fixtures/Misbehaver/Sources/Greed.swift`.
extension TestSystem {
    /// One megabyte for each time that it comes.
    static let feedSignal: CInt = 42

    func installGreedy(_ names: String...) throws {
        for name in names { try expect("install", try ContractApps.make(TestApp(name), in: self)) }
    }

    /// Of an app that runs: its first process. The daemon is not asked.
    func firstProcess(_ app: String) throws -> CInt {
        guard let pid = contents("run/\(app)/birth")?.split(separator: " ").first.flatMap({ CInt($0) }) else {
            throw Trouble("\(app) has no process")
        }
        return pid
    }

    /// Has the app obey a URL, after those that it was given before. It need not run at the moment.
    func order(_ app: String, url: String) throws {
        let process = try firstProcess(app)
        let orders = "\(home)/containers/\(app)/Documents/order-\(process)-"
        var number = 1
        while FileSystem.exists("\(orders)\(number)") { number += 1 }
        try FileSystem.replace("\(orders)\(number)", with: Array(url.utf8), mode: 0o644)
        try PidFD(process).send(ContractApps.orderSignal)
    }

    /// Has the app obey `misbehave://DEED`, and waits until it says `answer`; the whole line.
    @discardableResult
    func have(_ app: String, _ deed: String, says answer: String) throws -> String {
        let before = output(app).count
        try order(app, url: "misbehave://\(deed)")
        let patience = Patience()
        // What an app prints comes without news.
        while !patience.isOver {
            if let line = output(app).dropFirst(before).first(where: { $0.contains(" \(answer)") }) { return line }
            try pass(seconds: 0.01)
        }
        throw Trouble("\(app) does not say '\(answer)' after \(deed): \(output(app).suffix(5))")
    }

    /// Has the app write so many megabytes.
    func take(_ megabytes: Int, in app: String) throws {
        try have(app, "take?mb=\(megabytes)", says: "took \(megabytes)")
    }

    /// Has the app write so many megabytes, of which the daemon sees nothing before all of them are there.
    func takeAtOnce(_ megabytes: Int, in app: String) throws {
        let daemon = try PidFD(daemon)
        try daemon.send(SIGSTOP)
        defer { try? daemon.send(SIGCONT) }
        try take(megabytes, in: app)
    }

    /// An app in Python that holds so many megabytes, dirty and purgeable, when it runs. With each URL `NAME:NUMBER`
    /// that it opens it does `openURL`, one statement, with the `number`: it takes as many megabytes, if nothing else
    /// is said.
    func installAllocator(
        _ name: String, dirty: Int, purgeable: Int = 0,
        openURL: String = "held.extend(bytearray(b'x' * (1 << 20)) for _ in range(number))"
    ) throws {
        let body = """
            import mmap
            held = [bytearray(b"x" * (1 << 20)) for _ in range(\(dirty))]
            if \(purgeable):
                cache = mmap.mmap(-1, max(1, \(purgeable)) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                cache.write(b"x" * (\(purgeable) << 20))
                cache.madvise(8)  # MADV_FREE

            class Delegate(Base):
                def on_openURL(self, params):
                    number = int(params["url"].split(":")[1])
                    \(openURL)
            """
        try installPython(
            name, body,
            keys: """
                <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
                <array><string>\(name)</string></array></dict></array>
                """)
    }

    func memory() throws -> MemoryInfo { try MemoryInfo(json: JSONValue(parsing: expect("memory", "--json"))) }

    func memory(of app: String) throws -> MemoryInfo.App {
        guard let found = try memory().apps.first(where: { $0.app == app }) else { throw Trouble("\(app) has none") }
        return found
    }

    /// Waits until the system has seen what apps have: it looks again by itself, and says so to nobody.
    @discardableResult
    func memory(_ what: String, where fits: (MemoryInfo) throws -> Bool) throws -> MemoryInfo {
        let patience = Patience(seconds: 20)
        while true {
            let memory = try memory()
            if try fits(memory) { return memory }
            if patience.isOver { throw Trouble("\(what) is not seen: \(memory)") }
            try pass(seconds: 0.05)
        }
    }

    /// What the log says that memory did to apps, in order.
    func ends(after: Int = 0) throws -> [String] {
        try entries().filter { $0.seq > after && $0.event == "terminated" }.compactMap(\.app)
    }

    func warnings(_ app: String, after: Int = 0) throws -> Int {
        try callbacks(app, after: after).count { $0 == "didReceiveMemoryWarning" }
    }
}
