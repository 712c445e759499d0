import ContractSuite
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// Real apps, fetched by the tool.
    @Suite("Background fetch", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct Fetches {
        private static func install(_ system: TestSystem) throws {
            let app = TestApp(
                "news", backgroundModes: .fetch,
                script: ["didFinishLaunching": ["fetch every 1h"], "performFetch": ["complete fetch newData"]])
            try system.expect("install", ContractApps.make(app, in: system))
        }

        /// An app that has tasks, and is not fetched.
        private static func installNotes(_ system: TestSystem, _ script: [String: [String]]) throws {
            let app = TestApp(
                "notes", backgroundModes: [.fetch, .processing], taskIdentifiers: ["notes.index"], script: script)
            try system.expect("install", ContractApps.make(app, in: system))
        }

        private static func info(_ system: TestSystem, _ app: String = "news") throws -> FetchInfo {
            let list = try FetchInfo.list(json: JSONValue(parsing: system.expect("fetch", ["--json"])))
            return try #require(list.first { $0.app == app })
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
            let why = try system.expect("why", "news")
            #expect(why.contains("It waits for a background fetch: "))
            try system.play(["simulate fetch news --launch"])
            #expect(Self.calls(system).count { $0 == "performFetch" } == 2)
            #expect(Self.calls(system).count { $0 == "didFinishLaunching" } == 2)
        }

        @Test("A charger lets a processing task begin, in the app's own handler")
        func task() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.installNotes(
                system, ["didFinishLaunching": ["fetch every 1h", "submit processing \"notes.index\" with power"]])
            try system.play(["simulate battery 80", "open notes", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "notes")
            #expect(try Self.info(system, "notes").tasks.map(\.identifier) == ["notes.index"])
            let why = try system.expect("why", "notes")
            #expect(why.contains("the processing task “notes.index”: it needs external power, and there is none"))
            try system.play(["simulate battery 80 --state charging"])
            try log.wait("launchBackgroundTask", of: "notes")
            // The app's handler is called beside the callback, and what it prints comes without news.
            let patience = Patience()
            func isBegun() -> Bool { system.output("notes").contains { $0.hasSuffix("task notes.index") } }
            while !isBegun(), !patience.isOver { try system.pass(seconds: 0.01) }
            #expect(isBegun())
        }

        @Test("An app that has tasks is not fetched, and hears what to do instead")
        func replaced() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.installNotes(system, ["didFinishLaunching": ["fetch every 1h"]])
            try system.play(["open notes", "home"])
            let refused = try system.run("simulate", "fetch", "notes")
            #expect(refused.status != .exited(0) && refused.errors.contains("submit a BGAppRefreshTaskRequest"))
            #expect(try Self.info(system, "notes").missing?.contains("since iOS 13") == true)
        }

        @Test(
            "What an app submits when it hears, on its way into the background, of the requests that wait is not lost")
        func submittedLate() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.installNotes(
                system, ["didEnterBackground": ["pending then submit processing \"notes.index\" with power"]])
            try system.play(["simulate battery 80", "open notes", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "notes")
            #expect(try Self.info(system, "notes").tasks.map(\.identifier) == ["notes.index"])
            #expect(system.output("notes").contains { $0.hasSuffix("pending 0") })
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
            try Self.install(system)
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
            try Self.install(system)
            // A machine without a battery has power.
            try Self.installNotes(system, ["didFinishLaunching": ["submit processing \"notes.index\" after 1h"]])
            try system.play(["simulate fetch news", "open notes", "home"])
            let daemon = try PidFD(CInt(StatusInfo(json: JSONValue(parsing: system.expect("status", "--json"))).pid))
            try daemon.send(9)
            #expect(try Self.info(system).interval == 3600)
            #expect(try Self.info(system, "notes").tasks.count == 1)
            // Nor does the restart of the whole.
            try system.play(["down"])
            try system.up()
            let later = try Self.info(system)
            #expect(later.interval == 3600 && later.decisions.map(\.result) == ["newData"])
            #expect(try Self.info(system, "notes").tasks.map(\.identifier) == ["notes.index"])
        }
    }
}
