import ContractSuite
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// Real apps, fetched by the tool.
    @Suite("Background fetch", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct Fetches {
        private static func install(
            _ system: TestSystem, completes: Bool = true, task: String = "submit processing \"news.index\" with power"
        ) throws {
            let app = TestApp(
                "news", backgroundModes: [.fetch, .processing], taskIdentifiers: ["news.index"],
                script: [
                    "didFinishLaunching": ["fetch every 1h", task],
                    "performFetch": completes ? ["complete fetch newData"] : [],
                ])
            try system.expect("install", ContractApps.make(app, in: system))
        }

        private static func info(_ system: TestSystem) throws -> FetchInfo {
            let list = try FetchInfo.list(json: JSONValue(parsing: system.expect("fetch", ["--json"])))
            return try #require(list.first { $0.app == "news" })
        }

        private static func calls(_ system: TestSystem) -> [String] {
            let known = CallbackKind.allCases.map(\.name)
            return system.output("news").compactMap { line in
                let word = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                return known.contains(word) ? word : nil
            }
        }

        @Test(
            "simulate fetch returns when the app has completed it; fetch and why say what came of it and what is next")
        func simulated() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(system)
            try system.play(["simulate network wifi", "simulate battery 80", "simulate fetch news"])
            #expect(
                Self.calls(system) == [
                    "willFinishLaunching", "didFinishLaunching", "didEnterBackground", "performFetch",
                ])
            let log = try system.follower()
            try log.wait("suspended", of: "news")
            let info = try Self.info(system)
            #expect(info.interval == 3600 && info.isAllowed)
            #expect(info.decisions.map(\.result) == ["newData"])
            #expect(info.missing?.contains("interval") == true, "\(info)")
            #expect(info.tasks.map(\.identifier) == ["news.index"])
            let why = try system.expect("why", "news")
            #expect(why.contains("It waits for a background fetch: "))
            #expect(why.contains("the processing task “news.index”: it needs external power, and there is none"))
            try system.play(["simulate fetch news --launch"])
            #expect(Self.calls(system).count { $0 == "performFetch" } == 2)
            #expect(Self.calls(system).count { $0 == "didFinishLaunching" } == 2)
        }

        @Test("A charger lets a processing task begin, in the app's own handler")
        func task() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(system)
            try system.play(["simulate battery 80", "open news", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "news")
            try system.play(["simulate battery 80 --state charging"])
            try log.wait("launchBackgroundTask", of: "news")
            // The app's handler is called beside the callback, and what it prints comes without news.
            let patience = Patience()
            func isBegun() -> Bool { system.output("news").contains { $0.hasSuffix("task news.index") } }
            while !isBegun(), !patience.isOver { try system.pass(seconds: 0.01) }
            #expect(isBegun())
        }

        @Test("A refresh task that asks for the next one is not launched again and again; why says until when it waits")
        func renewed() throws {
            let system = try TestSystem()
            defer { system.end() }
            let submit = "submit refresh \"news.sync\""
            let app = TestApp(
                "news", backgroundModes: .fetch, taskIdentifiers: ["news.sync"],
                script: ["didFinishLaunching": [submit], "launchBackgroundTask": [submit, "complete refresh done"]])
            try system.expect("install", ContractApps.make(app, in: system))
            try system.play(["simulate battery 80 --state charging", "open news", "home"])
            let log = try system.follower()
            try log.wait("windowCompleted", of: "news")
            try log.wait("suspended", of: "news")
            let lines = try system.expect("log", "--json").split(separator: "\n").map { line in
                try JSONValue(parsing: String(line))
            }
            let wakes = lines.count { $0["app"]?.string == "news" && $0["event"]?.string == "wakeRequested" }
            #expect(wakes == 1)
            let why = try system.expect("why", "news")
            #expect(why.contains("an app is launched for one every 15 minutes at most"), "\(why)")
            let task = try #require(try Self.info(system).tasks.first)
            let launched = try #require(
                lines.last { $0["event"]?.string == "wakeRequested" }?["at"]?.string.flatMap { WallTime(iso8601: $0) })
            let next = try #require(task.next.flatMap { WallTime(iso8601: $0) })
            #expect(next - launched > .seconds(899) && next - launched < .seconds(901))
        }

        @Test("What the user forbade stays forbidden when the system starts anew; the app hears of it")
        func forbidden() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(system, task: "submit processing \"news.index\" after 1h")
            try system.play(["refresh news --off"])
            #expect(try system.run("simulate", "fetch", "news").errors.contains("switched background refresh off"))
            try system.play(["down"])
            try system.up()
            let info = try Self.info(system)
            #expect(!info.isAllowed)
            try system.play(["refresh news", "simulate fetch news"])
            #expect(Self.calls(system).last == "performFetch")
        }

        @Test("The daemon's death loses neither interval nor request, and the restart of the whole no decision")
        func daemonDies() throws {
            let system = try TestSystem()
            defer { system.end() }
            // A machine without a battery has power.
            try Self.install(system, task: "submit processing \"news.index\" after 1h")
            try system.play(["simulate fetch news"])
            let daemon = try PidFD(CInt(StatusInfo(json: JSONValue(parsing: system.expect("status", "--json"))).pid))
            try daemon.send(9)
            let info = try Self.info(system)
            #expect(info.interval == 3600 && info.tasks.count == 1)
            // Nor does the restart of the whole.
            try system.play(["down"])
            try system.up()
            let later = try Self.info(system)
            #expect(later.interval == 3600 && later.tasks.map(\.identifier) == ["news.index"])
            #expect(later.decisions.map(\.result) == ["newData"])
        }
    }
}
