import ContractSuite
import Glibc
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// Changes of the machine itself: a network of its own, and a folder that stands for `/etc`.
    @Suite(
        "Changes of the device", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built")
    )
    struct SystemChanges {
        /// A network namespace that lives as long as this.
        private final class Network {
            private let holder: Child
            let entry: [String]

            init() throws {
                holder = try Child(
                    #require(Machine.find("unshare")), ["--net", "sh", "-c", "echo ready; exec sleep 600"],
                    environment: [:])
                _ = try holder.line(Patience())
                entry = [try #require(Machine.find("nsenter")), "--net=/proc/\(holder.process.pid)/ns/net"]
            }

            func ip(_ words: String) throws {
                let ip = try #require(Machine.find("ip"))
                let arguments = entry.dropFirst() + [ip] + words.split(separator: " ").map(String.init)
                let outcome = try Child(entry[0], Array(arguments), environment: [:]).outcome()
                guard outcome.code == 0 else { throw Trouble("ip \(words): \(outcome.errors)") }
            }
        }

        private static func changes(_ system: TestSystem) -> [String] {
            system.output("radio").compactMap { line in
                let words = line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
                let isAny =
                    words.hasPrefix("changed ") || words == "significantTimeChange" || words == "willEnterForeground"
                return isAny ? words.replacing("changed ", with: "") : nil
            }
        }

        private static func install(_ system: TestSystem) throws {
            try system.expect("install", ContractApps.make(TestApp("radio", .application), in: system))
        }

        @Test(
            "A link of the machine that goes and comes is told when the app is back; one that came back, never",
            .enabled(
                if: Machine.find("ip") != nil && Machine.find("nsenter") != nil, "NOT TESTED: ip or nsenter is missing")
        )
        func network() throws {
            let network = try Network()
            try network.ip("link add there type veth peer name beyond")
            try network.ip("link set beyond up")
            try network.ip("addr add 10.99.99.1/24 dev there")
            try network.ip("link set there up")
            try network.ip("route add default dev there")
            let system = try TestSystem(within: network.entry)
            defer { system.end() }
            try Self.install(system)
            try system.play(["open radio", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "radio")
            try network.ip("link set there down")
            let gone = try log.wait(for: "the end of the network") {
                $0.event == "conditionChanged" && $0.reason?.contains("no network") == true
            }
            try system.play(["open radio"])
            #expect(Self.changes(system) == ["network none", "willEnterForeground"])
            try system.play(["home"])
            try log.wait("suspended", of: "radio", after: gone.seq)
            try network.ip("link set there up")
            try network.ip("route add default dev there")
            let back = try log.wait(for: "the network", after: gone.seq) {
                $0.event == "conditionChanged" && $0.reason?.contains("wired") == true
            }
            try network.ip("link set there down")
            try log.wait(for: "its end", after: back.seq) { $0.event == "conditionChanged" }
            try system.play(["open radio"])
            #expect(Self.changes(system).dropFirst(2) == ["willEnterForeground"])
        }

        @Test(
            "The machine's time zone and locale are told when their files are replaced, also after the daemon's death")
        func files() throws {
            let etc = "/tmp/greenroom-etc-\(CurrentProcess.pid)"
            try FileSystem.makeDirectory("\(etc)/default", mode: 0o755)
            defer { _ = try? Child("/bin/rm", ["-r", etc], environment: [:]).outcome() }
            try FileSystem.link(to: "/usr/share/zoneinfo/Europe/Berlin", at: "\(etc)/localtime")
            try FileSystem.replace("\(etc)/locale.conf", with: Array("LANG=en_GB.UTF-8\n".utf8), mode: 0o644)
            let system = try TestSystem(environment: ["GREENROOM_ETC": etc])
            defer { system.end() }
            try Self.install(system)
            try system.play(["open radio", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "radio")
            try FileSystem.link(to: "/usr/share/zoneinfo/Asia/Tokyo", at: "\(etc)/localtime")
            try log.wait(for: "the zone") { $0.reason == "the time zone is Asia/Tokyo" }
            let daemon = try system.daemon
            kill(daemon, 9)
            try system.expect("status")
            try FileSystem.replace("\(etc)/locale.conf", with: Array("LANG=\"de_DE.UTF-8\"\n".utf8), mode: 0o644)
            try log.wait(for: "the locale") { $0.reason == "the locale is de_DE" }
            try system.play(["open radio"])
            let told = Self.changes(system)
            #expect(told.first == "locale de_DE" && told.last == "willEnterForeground", "\(told)")
            #expect(told.dropFirst().first?.hasSuffix("Asia/Tokyo") == true && told.contains("significantTimeChange"))
        }

        @Test("What the tool pretends comes in one burst, in order, on the main thread; and is real again")
        func simulated() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(system)
            try system.play(["simulate network wifi", "simulate battery 80", "open radio", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "radio")
            try system.play([
                "simulate battery 20 --state charging", "simulate screen --brightness 40 --external 1",
                "simulate locale ja_JP", "simulate timezone Asia/Kathmandu", "simulate settings radio quality high",
                "simulate network off",
            ])
            try log.wait(for: "the end of the network") { $0.reason == "there is no network" }
            try system.play(["open radio"])
            let burst = Self.changes(system).filter { $0 != "significantTimeChange" }
            #expect(
                burst == [
                    "settings high", "locale ja_JP", "timeZone \(Self.zone(burst)) Asia/Kathmandu", "screenConnected",
                    "brightness 40", "batteryState charging", "batteryLevel 20", "network none", "willEnterForeground",
                ])
            try system.play(["simulate locale real", "simulate settings radio quality"])
            let patience = Patience()
            while !Self.changes(system).contains("settings -") {
                guard !patience.isOver else { throw Trouble("the setting is not taken back") }
                try system.pass(seconds: 0.02)
            }
            let refused = try system.run("simulate", "timezone", "Mars/Olympus")
            #expect(refused.code == 2 || refused.code == 1)
            #expect(refused.errors.contains("there is no time zone Mars/Olympus"))
            #expect(try system.run("simulate", "battery", "120").code == 2)
        }

        @Test(
            "A clock that the tool sets, a day that it begins and a store that it changes are told at the resume, once")
        func simulatedClockAndStore() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(system)
            try system.play(["open radio", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "radio")
            try system.play([
                "simulate clock forward 1h30m", "simulate clock midnight", "simulate store contacts",
                "simulate store contacts",
            ])
            #expect(Self.changes(system).isEmpty)
            try system.play(["open radio"])
            #expect(Self.changes(system).first == "significantTimeChange")
            #expect(Self.changes(system).last == "willEnterForeground")
            #expect(Self.changes(system).count { $0 == "significantTimeChange" } == 1)
            let told = try log.wait(for: "the burst") { $0.event == "toldOfChanges" }
            #expect(told.reason?.contains("the day or the clock") == true, "\(told.reason ?? "")")
            #expect(told.reason?.contains("what apps share") == true, "\(told.reason ?? "")")
            // Real again, the clock has been set once more.
            try system.play(["simulate clock real"])
            let patience = Patience()
            while Self.changes(system).count(where: { $0 == "significantTimeChange" }) < 2 {
                guard !patience.isOver else { throw Trouble("\(Self.changes(system))") }
                try system.pass(seconds: 0.02)
            }
            #expect(try system.run("simulate", "clock", "forward", "soon").code == 2)
            let unnamed = try system.run("simulate", "store", "")
            #expect(unnamed.code != 0 && unnamed.errors.contains("a store's name has 1 to 64 bytes"))
        }

        /// A machine with one thermal zone and a platform's profile.
        private static func makeMachine() throws -> String {
            let sys = "/tmp/greenroom-sys-\(CurrentProcess.pid)"
            try FileSystem.makeDirectory("\(sys)/class/thermal/thermal_zone0", mode: 0o755)
            try FileSystem.makeDirectory("\(sys)/firmware/acpi", mode: 0o755)
            let zone = "\(sys)/class/thermal/thermal_zone0"
            try write("45000", "\(zone)/temp")
            try write("passive", "\(zone)/trip_point_0_type")
            try write("85000", "\(zone)/trip_point_0_temp")
            try write("balanced", "\(sys)/firmware/acpi/platform_profile")
            return sys
        }

        /// In place, as the kernel's files are written.
        private static func write(_ text: String, _ path: String) throws {
            let bytes = Array((text + "\n").utf8)
            guard FileSystem.exists(path) else { return try FileSystem.replace(path, with: bytes, mode: 0o644) }
            let file = try Descriptor.open(path, .write)
            try file.truncate(to: 0)
            try file.writeAll(bytes)
        }

        @Test("The machine's warmth is seen while an app runs, and the platform's profile when it is chosen")
        func powerAndWarmth() throws {
            let sys = try Self.makeMachine()
            defer { _ = try? Child("/bin/rm", ["-r", sys], environment: [:]).outcome() }
            let system = try TestSystem(
                device: .linux { $0.checkInterval = .milliseconds(300) }, environment: ["GREENROOM_SYS": sys])
            defer { system.end() }
            try Self.install(system)
            try system.play(["open radio"])
            let log = try system.follower()
            try Self.write("86000", "\(sys)/class/thermal/thermal_zone0/temp")
            let warm = try log.wait(for: "the warmth") { $0.reason == "the device's thermal state is serious" }
            try system.play(["home"])
            try log.wait("suspended", of: "radio", after: warm.seq)
            try Self.write("low-power", "\(sys)/firmware/acpi/platform_profile")
            try log.wait(for: "low-power mode") { $0.reason == "low-power mode is on" }
            try system.play(["simulate thermal critical", "simulate orientation landscape-left", "open radio"])
            let told = Self.changes(system)
            #expect(
                told == [
                    "thermalState serious", "refresh denied", "lowPower true", "thermalState critical",
                    "orientation landscapeLeft", "willEnterForeground",
                ], "\(told)")
            try system.play(["simulate thermal real", "simulate low-power off"])
            let patience = Patience()
            while Self.changes(system).suffix(3) != ["thermalState serious", "refresh available", "lowPower false"] {
                guard !patience.isOver else { throw Trouble("\(Self.changes(system))") }
                try system.pass(seconds: 0.02)
            }
        }

        @Test("What apps share is told once when it was written, however often")
        func stores() throws {
            let folder = "/tmp/greenroom-contacts-\(CurrentProcess.pid)"
            try FileSystem.makeDirectory(folder, mode: 0o755)
            defer { _ = try? Child("/bin/rm", ["-r", folder], environment: [:]).outcome() }
            let system = try TestSystem(device: .linux { $0.stores = ["contacts": "\(folder)/contacts.db"] })
            defer { system.end() }
            try Self.install(system)
            try system.play(["open radio", "home"])
            let log = try system.follower()
            let suspended = try log.wait("suspended", of: "radio")
            try Self.write("somebody", "\(folder)/contacts.db")
            let told = "what apps share as contacts was changed"
            let first = try log.wait(for: "the change", after: suspended.seq) { $0.reason == told }
            // The next daemon watches as well.
            kill(try system.daemon, 9)
            try system.expect("status")
            try Self.write("somebody else", "\(folder)/contacts.db")
            try log.wait(for: "the next change", after: first.seq) { $0.reason == told }
            try system.play(["open radio"])
            #expect(Self.changes(system) == ["contacts", "willEnterForeground"])
        }

        private static func zone(_ lines: [String]) -> Substring {
            let words = lines.first { $0.hasPrefix("timeZone") }?.split(separator: " ") ?? []
            return words.count == 3 ? words[1] : ""
        }
    }
}
